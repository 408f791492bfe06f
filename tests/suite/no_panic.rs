use crate::parser_bodies as bodies;
use proptest::prelude::*;

/// Texts from nothing to nearly right: random characters, and pieces of real texts put together or cut.
fn text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "own",
        "opp",
        "|",
        " ",
        ",",
        ":",
        "24",
        "13",
        "8/5",
        "24/18",
        "*",
        "(2)",
        "bar",
        "off",
        "/",
        "-",
        "–",
        "pass",
        "XGID=",
        "-b----E-C---eE---c-e----B-",
        ":0:0:1:31:0:0:0:0:10",
        "board:",
        "a:b:0:0:0",
        ":0:-2:0:0:0:0:5",
        "0",
        "4HPwATDgc/ABMA",
        "AACA",
        "=",
        "long",
        "short",
        "head",
        "none",
        "score",
        "(1,2,2,2)",
        "true",
        "start",
        "31",
        "15",
        "é",
        "\0",
        "٣",
        "𝟙",
        "(",
        ")",
        "*(4)",
        "99999999999999999999",
        "-1",
        ";",
        "K",
        "o",
    ]);
    let joined = prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat());
    let real = prop::sample::select(vec![
        "own 24:9 21:6 | opp 24:15",
        "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10",
        "board:gnubg:root:3:0:0:0:-2:0:0:0:0:5:0:3:0:0:1:-5:4:0:0:0:-3:0:-5:0:0:0:1:1:0:-1:5:2:5:2:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1",
        "4HPwATDgc/ABMA",
        "24/20*/18 6/5(2)",
        "long,head=needed_any,block=home,score=(1,1,2,3)",
    ]);
    let changed = (real, any::<prop::sample::Index>(), any::<char>(), 0u8..3).prop_map(|(real, at, c, how)| {
        let mut chars: Vec<char> = real.chars().collect();
        let at = at.index(chars.len());
        match how {
            0 => chars[at] = c,
            1 => chars.insert(at, c),
            _ => drop(chars.remove(at)),
        }
        chars.into_iter().collect()
    });
    prop_oneof![any::<String>(), joined, changed]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn no_text_makes_a_parser_panic(text in text()) {
        for body in [
            bodies::plays, bodies::literal, bodies::gnu_ids, bodies::xgid, bodies::fibs_board, bodies::positions,
            bodies::dice, bodies::rules,
        ] {
            body(&text);
        }
    }

    #[test]
    fn no_fourteen_characters_of_the_alphabet_break_the_id_reader(text in "[A-Za-z0-9+/]{13}[AQgw]") {
        bodies::gnu_ids(&text);
        bodies::positions(&text);
    }

    #[test]
    fn no_list_of_legs_breaks_the_play_reader(
        text in "((bar|off|2?[0-9])[/-](off|bar|1?[0-9])\\*?(/[0-9])?(\\([1-4]\\))?[ ,]){1,4}"
    ) {
        bodies::plays(&text);
    }
}
