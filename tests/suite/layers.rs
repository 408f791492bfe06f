//! Which module may use which: the list in docs/architecture.md, read from the sources.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Every module of the library with the modules it may use, all of them listed above it.
const ALLOWED: &[(&str, &[&str])] = &[
    ("types", &[]),
    ("rules", &["types"]),
    ("position", &["types", "rules"]),
    ("movegen", &["types", "rules", "position"]),
    ("notation", &["types", "rules", "position", "movegen"]),
    ("game", &["types", "rules", "position", "movegen", "notation"]),
    ("bearoff", &["types", "rules", "position", "movegen", "game"]),
    ("features", &["types", "rules", "position"]),
    ("net", &[]),
    ("eval", &["types", "rules", "position", "movegen", "game", "bearoff", "features", "net"]),
    ("search", &["types", "rules", "position", "movegen", "game", "eval"]),
    ("rollout", &["types", "rules", "position", "movegen", "game", "bearoff", "eval", "search"]),
    (
        "protocol",
        &[
            "types", "rules", "position", "movegen", "notation", "game", "bearoff", "features", "net", "eval",
            "search", "rollout",
        ],
    ),
    (
        "arena",
        &[
            "types", "rules", "position", "movegen", "notation", "game", "bearoff", "features", "net", "eval",
            "search", "rollout",
        ],
    ),
    (
        "train",
        &["types", "rules", "position", "movegen", "notation", "game", "bearoff", "features", "net", "eval", "arena"],
    ),
];

fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// `(module, file)` for each source file below src/ but unit tests in files of their own; bins are `bin/<name>`.
fn files() -> Vec<(String, PathBuf)> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    sources(&src, &mut found);
    found
        .into_iter()
        .filter(|path| !path.ends_with("tests.rs"))
        .filter_map(|path| {
            let parts: Vec<String> =
                path.strip_prefix(&src).unwrap().iter().map(|part| part.to_string_lossy().into_owned()).collect();
            match &parts[..] {
                [file] if file == "lib.rs" => None,
                [file] => Some((file.trim_end_matches(".rs").to_string(), path)),
                [bin, name, ..] if bin == "bin" => Some((format!("bin/{name}"), path)),
                [module, ..] => Some((module.clone(), path)),
                [] => None,
            }
        })
        .collect()
}

/// The modules named after `root` (`crate::` or `nardy::`), leaving out comments and unit tests, which may reach further.
fn used(text: &str, root: &str) -> BTreeSet<String> {
    let code: String = text
        .split("\n#[cfg(test)]\nmod tests {")
        .next()
        .unwrap()
        .lines()
        .map(|line| line.split("//").next().unwrap())
        .collect::<Vec<_>>()
        .join("\n");
    let mut modules = BTreeSet::new();
    for (at, _) in code.match_indices(root) {
        let before = code[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
            continue;
        }
        let rest = &code[at + root.len()..];
        match rest.strip_prefix('{') {
            None => modules.extend(first_word(rest)),
            Some(list) => modules.extend(heads_of_list(list)),
        }
    }
    modules
}

fn first_word(text: &str) -> Option<String> {
    let word: String = text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!word.is_empty()).then_some(word)
}

/// First words of the entries of `a::b, c::{d, e}}`, up to the bracket that closes the list.
fn heads_of_list(list: &str) -> Vec<String> {
    let (mut heads, mut depth, mut start) = (Vec::new(), 0, 0);
    for (i, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                heads.extend(first_word(&list[start..i]));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                heads.extend(first_word(&list[start..i]));
                start = i + 1;
            }
            _ => {}
        }
    }
    heads
}

#[test]
fn use_lines_are_read_in_every_shape() {
    let text = "use crate::types::{A, B};\nuse crate::{game::{x, y}, eval};\n// crate::train\nlet a = crate::net::f();\n\
                mycrate::arena::g();\n#[cfg(test)]\nmod tests {\n    use crate::protocol::P;\n}\n";
    assert_eq!(used(text, "crate::").into_iter().collect::<Vec<_>>(), ["eval", "game", "net", "types"]);
}

#[test]
fn the_allowed_uses_contain_no_circle() {
    for (i, (module, allowed)) in ALLOWED.iter().enumerate() {
        for name in *allowed {
            assert!(
                ALLOWED[..i].iter().any(|(above, _)| above == name),
                "{module} may use {name}, which is not above it"
            );
        }
    }
}

#[test]
fn modules_use_only_what_the_architecture_allows() {
    let names: BTreeSet<&str> = ALLOWED.iter().map(|(name, _)| *name).collect();
    let mut seen = BTreeSet::new();
    for (module, path) in files() {
        let text = fs::read_to_string(&path).unwrap();
        let path = path.display();
        if let Some(bin) = module.strip_prefix("bin/") {
            let uses_training = used(&text, "nardy::").contains("train");
            assert!(!uses_training || bin == "nardy", "{path}: only the tool `nardy` may use train");
            continue;
        }
        let (_, allowed) = ALLOWED
            .iter()
            .find(|(name, _)| *name == module)
            .unwrap_or_else(|| panic!("{path}: the module {module} has no place in docs/architecture.md"));
        for name in used(&text, "crate::").iter().filter(|name| names.contains(name.as_str())) {
            assert!(*name == module || allowed.contains(&name.as_str()), "{path}: {module} must not use {name}");
        }
        seen.insert(module);
    }
    assert!(seen.len() >= 10, "the sources were not found: {seen:?}");
}

#[test]
fn the_architecture_document_lists_the_same_uses() {
    let document = include_str!("../../docs/architecture.md");
    for (module, allowed) in ALLOWED {
        let row = document
            .lines()
            .find(|line| line.starts_with(&format!("| `{module}` |")))
            .unwrap_or_else(|| panic!("docs/architecture.md has no row for {module}"));
        let cell = row.trim_matches('|').split('|').next_back().unwrap();
        let listed: Vec<&str> = cell.split('`').skip(1).step_by(2).collect();
        assert_eq!(listed, *allowed, "row {module} of docs/architecture.md");
    }
}
