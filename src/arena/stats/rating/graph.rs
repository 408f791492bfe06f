//! Which players can be compared with which.

/// Players that pairings connect, directly or through others: groups in the order of their first
/// player, each in rising order.
pub(super) fn connected(players: usize, links: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let both: Vec<_> = links.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect();
    strongly_connected(players, &both)
}

/// Players that can be reached from each other along directed links: groups in the order of their
/// first player, each in rising order.
pub(super) fn strongly_connected(players: usize, links: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut forward = vec![Vec::new(); players];
    let mut backward = vec![Vec::new(); players];
    for &(from, to) in links {
        forward[from].push(to);
        backward[to].push(from);
    }
    let mut placed = vec![false; players];
    let mut groups = Vec::new();
    for start in 0..players {
        if placed[start] {
            continue;
        }
        let (there, back) = (reach(start, &forward), reach(start, &backward));
        let group: Vec<usize> = (start..players).filter(|&p| there[p] && back[p]).collect();
        for &player in &group {
            placed[player] = true;
        }
        groups.push(group);
    }
    groups
}

/// Whether each player can be reached from `start`, itself included.
fn reach(start: usize, links: &[Vec<usize>]) -> Vec<bool> {
    let mut reached = vec![false; links.len()];
    reached[start] = true;
    let mut open = vec![start];
    while let Some(player) = open.pop() {
        for &next in &links[player] {
            if !reached[next] {
                reached[next] = true;
                open.push(next);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_join_players_whatever_their_direction() {
        let groups = connected(6, &[(3, 0), (3, 5), (1, 4)]);
        assert_eq!(groups, [vec![0, 3, 5], vec![1, 4], vec![2]]);
    }

    #[test]
    fn strong_groups_need_a_way_there_and_back() {
        let groups = strongly_connected(5, &[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3)]);
        assert_eq!(groups, [vec![0, 1, 2], vec![3, 4]]);
    }
}
