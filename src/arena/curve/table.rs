//! A table of comma-separated values.

use super::CurveError;
use csv::{ReaderBuilder, Trim};
use std::path::{Path, PathBuf};

/// The cells of a file, a row a line.
pub(super) struct Table {
    path: PathBuf,
    columns: Vec<String>,
    /// Line numbers, counted from 1, and as many cells as there are columns.
    rows: Vec<(usize, Vec<String>)>,
}

/// A row of a table.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    table: &'a Table,
    line: usize,
    cells: &'a [String],
}

impl Table {
    /// Reads a table. Its last line may be unfinished if `growing`, that is if somebody is still writing to it.
    ///
    /// # Errors
    /// If a line has more or fewer cells than the first one.
    pub(super) fn new(path: &Path, text: &str, growing: bool) -> Result<Table, CurveError> {
        let complete = if growing { text.rfind('\n').map_or("", |end| &text[..=end]) } else { text };
        let mut reader = ReaderBuilder::new().flexible(true).trim(Trim::All).from_reader(complete.as_bytes());
        let failed = |error: csv::Error| CurveError::Io { path: path.to_path_buf(), error: error.into() };
        let columns: Vec<String> = reader.headers().map_err(failed)?.iter().map(String::from).collect();
        let mut rows = Vec::new();
        // The line of the record, and the bytes before it.
        let (mut line, mut counted) = (1, 0);
        for record in reader.records() {
            let record = record.map_err(failed)?;
            // The reader's own number is that of the blank lines before the record.
            let start = record.position().map_or(0, |position| position.byte() as usize);
            let blank = complete[start..].bytes().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            line += complete[counted..start + blank].matches('\n').count();
            counted = start + blank;
            if record.len() != columns.len() {
                let (path, expected, found) = (path.to_path_buf(), columns.len(), record.len());
                return Err(CurveError::Cells { path, line, expected, found });
            }
            rows.push((line, record.iter().map(String::from).collect()));
        }
        Ok(Table { path: path.to_path_buf(), columns, rows })
    }

    /// The names of the columns.
    pub(super) fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The number of a column.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    /// All rows below the first line.
    pub(super) fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|(line, cells)| Row { table: self, line: *line, cells })
    }
}

impl<'a> Row<'a> {
    /// A cell as text.
    pub(super) fn text(self, column: usize) -> &'a str {
        &self.cells[column]
    }

    /// A cell as a number; `None` if it is empty.
    ///
    /// # Errors
    /// If it holds no finite number.
    pub(super) fn number(self, column: usize) -> Result<Option<f64>, CurveError> {
        let text = self.text(column);
        match text.parse::<f64>() {
            _ if text.is_empty() => Ok(None),
            Ok(number) if number.is_finite() => Ok(Some(number)),
            _ => Err(self.wrong(column, "a number")),
        }
    }

    /// A cell as a number that is not negative; `None` if it is empty.
    ///
    /// # Errors
    /// If it holds anything else.
    pub(super) fn amount(self, column: usize) -> Result<Option<f64>, CurveError> {
        match self.number(column)? {
            Some(number) if number < 0.0 => Err(self.wrong(column, "a number that is not negative")),
            number => Ok(number),
        }
    }

    /// A cell as the half-width of an interval; `None` if there is none, which is empty or `NaN`.
    ///
    /// # Errors
    /// If it holds anything else.
    pub(super) fn interval(self, column: usize) -> Result<Option<f64>, CurveError> {
        if self.text(column) == "NaN" { Ok(None) } else { self.amount(column) }
    }

    /// What is wrong with a cell.
    pub(super) fn wrong(self, column: usize, expected: &'static str) -> CurveError {
        CurveError::Cell {
            path: self.table.path.clone(),
            line: self.line,
            column: self.table.columns[column].clone(),
            expected,
            found: self.text(column).into(),
        }
    }
}
