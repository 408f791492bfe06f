//! temp
use nardy::movegen::{PlayList, legal_plays_into};
use nardy::position::{Checkers, Position};
use nardy::rules::Rules;
use nardy::types::Roll;
fn decode(id: &str) -> Position {
    let mut bits = Vec::new();
    let val = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let s: Vec<u8> = id.bytes().map(val).collect();
    let mut bytes = Vec::new();
    let (mut acc, mut n) = (0u32, 0);
    for v in s {
        acc = acc << 6 | v as u32;
        n += 6;
        if n >= 8 {
            n -= 8;
            bytes.push((acc >> n) as u8);
        }
    }
    for b in bytes {
        for i in 0..8 {
            bits.push(b >> i & 1);
        }
    }
    let mut sides = [[0u8; 26]; 2];
    let mut k = 0;
    for side in &mut sides {
        for p in 1..=25 {
            while bits[k] == 1 {
                side[p] += 1;
                k += 1;
            }
            k += 1;
        }
        side[0] = 15 - side.iter().sum::<u8>();
    }
    Position { us: Checkers::from_counts(&sides[1]).unwrap(), them: Checkers::from_counts(&sides[0]).unwrap() }
}
fn main() {
    let mut list = PlayList::new();
    for csv in [include_str!("../tests/data/bkgm/contact.csv"), include_str!("../tests/data/bkgm/race.csv")] {
        let positions: Vec<Position> = csv.lines().map(decode).collect();
        let mut best = f64::MAX;
        let mut total = 0;
        let mut singles = f64::MAX;
        for _ in 0..std::env::args().nth(1).map_or(20, |n| n.parse().unwrap()) {
            total = 0;
            let t = cpu_time::ThreadTime::now();
            for &p in &positions {
                for roll in Roll::ALL {
                    legal_plays_into(p, roll, &Rules::SHORT, &mut list);
                    total += std::hint::black_box(&list).len();
                }
            }
            best = best.min(t.elapsed().as_secs_f64());
            let t = cpu_time::ThreadTime::now();
            for &p in &positions {
                for roll in Roll::ALL {
                    if !roll.is_double() {
                        legal_plays_into(p, roll, &Rules::SHORT, &mut list);
                        total += std::hint::black_box(&list).len();
                    }
                }
            }
            singles = singles.min(t.elapsed().as_secs_f64());
        }
        println!(
            "{total} {:.2} ns; per roll {:.1}, nondouble per roll {:.1}",
            best * 1e9 / total as f64,
            best * 1e9 / 21000.,
            singles * 1e9 / 15000.
        );
    }
}
