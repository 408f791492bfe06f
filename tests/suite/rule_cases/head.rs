use super::*;

#[test]
fn one_checker_leaves_the_head_in_a_usual_turn() {
    assert_eq!(plays(Position::LONG_START, roll(2, 1), &Rules::LONG), ["24/22 22/21"]);
    let second_turn = position(&[(24, 14), (20, 1)], &[(24, 14), (20, 1)]);
    let list = plays(second_turn, roll(4, 4), &Rules::LONG);
    assert!(list.iter().all(|steps| steps.matches("24/").count() <= 1), "{list:?}");
}

#[test]
fn the_first_player_must_play_two_head_checkers_with_3_3_4_4_and_6_6() {
    for head in ["official", "needed_doubles", "needed_any"] {
        let rules = rules(&format!("long,head={head}"));
        assert_eq!(plays(Position::LONG_START, roll(6, 6), &rules), ["24/18 24/18"]);
        assert_eq!(plays(Position::LONG_START, roll(4, 4), &rules), ["24/20 24/20 20/16 20/16"]);
        let threes = ["24/21 24/21 21/18 18/15", "24/21 24/21 21/18 21/18"];
        assert_eq!(plays(Position::LONG_START, roll(3, 3), &rules), threes);
    }
}

#[test]
fn the_second_head_checker_depends_on_the_option_from_the_first_turn_on() {
    let start = Position::LONG_START;
    let heads = |head, roll| {
        let list = plays(start, roll, &rules(&format!("long,head={head}")));
        list.iter().map(|steps| steps.matches("24/").count()).max().unwrap()
    };
    for (head, doubles) in [
        ("official", [1, 1, 2, 2, 1, 2]),
        ("az46", [1, 1, 1, 2, 1, 2]),
        ("needed_doubles", [1, 1, 2, 2, 1, 2]),
        ("needed_any", [1, 1, 2, 2, 1, 2]),
        ("doubles_first", [2, 2, 2, 2, 2, 2]),
        ("doubles_always", [2, 2, 2, 2, 2, 2]),
        ("none", [1, 1, 1, 1, 1, 1]),
    ] {
        assert_eq!([1, 2, 3, 4, 5, 6].map(|die| heads(head, roll(die, die))), doubles, "head={head}");
        assert_eq!(heads(head, roll(6, 5)), 1, "head={head}");
    }
}

#[test]
fn only_doubles_always_lets_two_leave_the_head_later() {
    let later = position(&[(24, 14), (14, 1)], &[(24, 14), (14, 1)]);
    for &head in Head::ALL {
        let list = plays(later, roll(1, 1), &Rules { head, ..Rules::LONG });
        let most = list.iter().map(|steps| steps.matches("24/").count()).max().unwrap();
        assert_eq!(most, if head == Head::DoublesAlways { 2 } else { 1 }, "{head}");
    }
}

/// My rolls that are played differently under two options, with the opponent's first rolls that bring it about.
fn differing_openings(one: Head, other: Head) -> BTreeSet<(String, String)> {
    let (one, other) = (Rules { head: one, ..Rules::LONG }, Rules { head: other, ..Rules::LONG });
    let mut differing = BTreeSet::new();
    for first in Roll::ALL {
        for reply in legal_plays(Position::LONG_START, first, &Rules::LONG).iter() {
            for second in Roll::ALL {
                let position = reply.position.swapped();
                if plays(position, second, &one) != plays(position, second, &other) {
                    differing.insert((format!("{second} after {first}"), reply.steps.to_string()));
                }
            }
        }
    }
    differing
}

#[test]
fn in_seven_openings_of_the_second_player_a_needed_double_differs_from_official() {
    let found = differing_openings(Head::Official, Head::NeededDoubles);
    let found: Vec<(&str, &str)> = found.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    assert_eq!(
        found,
        [
            ("2-2 after 5-5", "24/19 19/14 14/9 9/4"),
            ("5-5 after 2-1", "24/22 22/21"),
            ("5-5 after 2-2", "24/22 22/20 20/18 18/16"),
            ("5-5 after 3-3", "24/21 24/21 21/18 18/15"),
            ("5-5 after 4-4", "24/20 24/20 20/16 20/16"),
            ("5-5 after 5-3", "24/19 19/16"),
            ("5-5 after 6-2", "24/18 18/16"),
        ]
    );
}

#[test]
fn two_more_openings_differ_when_any_roll_may_need_a_second_checker() {
    let found = differing_openings(Head::NeededDoubles, Head::NeededAny);
    let found: Vec<&str> = found.iter().map(|(roll, _)| roll.as_str()).collect();
    assert_eq!(found, ["5-3 after 5-5", "6-2 after 5-5"]);
}

#[test]
fn the_second_player_stopped_after_two_fives_plays_two_checkers_only_if_needed_counts() {
    let mine = after(Position::LONG_START, roll(2, 1), &Rules::LONG, "24/22 22/21");
    assert_eq!(plays(mine, roll(5, 5), &Rules::LONG), ["24/19 19/14"]);
    for head in ["needed_doubles", "needed_any"] {
        let rules = rules(&format!("long,head={head}"));
        assert_eq!(plays(mine, roll(5, 5), &rules), ["24/19 24/19 19/14 19/14"]);
    }
    let mine = after(Position::LONG_START, roll(5, 5), &Rules::LONG, "24/19 19/14 14/9 9/4");
    for head in ["official", "needed_doubles"] {
        assert_eq!(plays(mine, roll(6, 2), &rules(&format!("long,head={head}"))), ["24/18"]);
    }
    assert_eq!(plays(mine, roll(6, 2), &rules("long,head=needed_any")), ["24/18 24/22"]);
}

#[test]
fn fifteen_on_the_head_still_count_as_a_first_turn_after_a_pass() {
    let rules = rules("long,head=doubles_first");
    let mine = after(Position::LONG_START, roll(5, 5), &rules, "24/19 24/19 19/14 14/9");
    assert_eq!(plays(mine, roll(3, 3), &rules), ["pass"]);
    let list = plays(mine, roll(1, 1), &rules);
    assert!(list.iter().any(|steps| steps.matches("24/").count() == 2), "{list:?}");
}
