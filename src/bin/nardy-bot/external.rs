//! GNU Backgammon's external player over TCP: it connects, asks one question at a time, and gets a line.

use crate::input::{Input, read_line};
use crate::log::Log;
use nardy::protocol::gnubg::{GnubgOptions, answer};
use nardy::protocol::{LONGEST_LINE, ModelEngine};
use std::io::{self, BufReader, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;

/// Waits for GNU Backgammon and serves each connection in a thread of its own, for ever; with `once`, one connection.
///
/// # Errors
/// If the address can't be listened at.
pub fn serve(
    address: impl ToSocketAddrs,
    once: bool,
    engine: &ModelEngine,
    options: GnubgOptions,
    log: Log,
) -> io::Result<()> {
    let listener = TcpListener::bind(address)?;
    println!("listening on {}", listener.local_addr()?);
    let log = Arc::new(log);
    for stream in listener.incoming() {
        // One peer that is gone before it was greeted is no reason to stop serving others.
        let Ok(stream) = stream else { continue };
        let (mut engine, log) = (engine.share(), Arc::clone(&log));
        let mut serve = move || {
            if let Err(error) = converse(&stream, &mut engine, &options, &log) {
                log.line('!', format!("connection lost: {error}").as_bytes());
            }
        };
        if once {
            serve();
            return Ok(());
        }
        std::thread::spawn(serve);
    }
    Ok(())
}

fn converse(stream: &TcpStream, engine: &mut ModelEngine, options: &GnubgOptions, log: &Log) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    let mut writer = stream;
    loop {
        let request = match read_line(&mut reader, LONGEST_LINE)? {
            Input::End => return Ok(()),
            Input::TooLong => b"the request is too long".to_vec(),
            Input::Line(line) => line,
        };
        // Each request ends with a line feed and a NUL: the NUL begins the next line, or stands alone at the end.
        let request: Vec<u8> = request.into_iter().filter(|&byte| byte != 0).collect();
        if request.trim_ascii().is_empty() {
            continue;
        }
        log.line('>', &request);
        let reply = answer(&request, engine, options);
        log.line('<', reply.as_bytes());
        // In one packet: GNU Backgammon reads a line from whatever arrives first.
        writer.write_all(format!("{reply}\n").as_bytes())?;
        writer.flush()?;
    }
}
