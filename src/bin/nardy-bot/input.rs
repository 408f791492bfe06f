//! Lines from a stream, of bounded length.

use std::io::{self, BufRead};

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub enum Input {
    /// A line without its end; the last one may have had none.
    Line(Vec<u8>),
    /// A line longer than the limit; its bytes are gone.
    TooLong,
    /// Nothing more will come.
    End,
}

/// Reads up to the next line feed; of a line above `limit` bytes only so much is ever held in memory.
///
/// # Errors
/// Those of the reader.
pub fn read_line(reader: &mut impl BufRead, limit: usize) -> io::Result<Input> {
    let (mut line, mut too_long, mut any) = (Vec::new(), false, false);
    loop {
        let chunk = match reader.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if chunk.is_empty() {
            break;
        }
        any = true;
        let end = chunk.iter().position(|&byte| byte == b'\n');
        let piece = &chunk[..end.unwrap_or(chunk.len())];
        too_long |= line.len() + piece.len() > limit;
        if !too_long {
            line.extend_from_slice(piece);
        }
        let used = piece.len() + usize::from(end.is_some());
        reader.consume(used);
        if end.is_some() {
            break;
        }
    }
    Ok(match (any, too_long) {
        (false, _) => Input::End,
        (true, true) => Input::TooLong,
        (true, false) => Input::Line(line),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_whole_and_long_ones_are_dropped() {
        let text = [b"one\n\nth\0ree\r\n".as_slice(), &[b'x'; 50], b"\nlast"].concat();
        let mut reader = io::BufReader::with_capacity(4, text.as_slice());
        let mut next = || read_line(&mut reader, 20).unwrap();
        let line = |text: &[u8]| Input::Line(text.to_vec());
        assert_eq!([next(), next(), next()], [line(b"one"), line(b""), line(b"th\0ree\r")]);
        assert_eq!([next(), next(), next(), next()], [Input::TooLong, line(b"last"), Input::End, Input::End]);
    }
}
