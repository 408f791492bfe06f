#![no_main]

#[allow(dead_code, reason = "each target uses one body")]
#[path = "../../tests/suite/parser_bodies.rs"]
mod parser_bodies;

libfuzzer_sys::fuzz_target!(|text: &str| parser_bodies::dice(text));
