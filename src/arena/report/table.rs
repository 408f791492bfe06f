//! Tables of text, for terminals and as Markdown.

use std::fmt::Write;

/// A table whose first column stands left, all others right.
pub(super) struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new(head: &[&str]) -> Table {
        Table { head: head.iter().map(|cell| (*cell).to_string()).collect(), rows: Vec::new() }
    }

    /// Adds a row with as many cells as the head has.
    pub(super) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Drops the columns in which every row is empty.
    pub(super) fn without_empty_columns(mut self) -> Table {
        for column in (0..self.head.len()).rev() {
            if self.rows.iter().all(|row| row[column].is_empty()) {
                self.head.remove(column);
                self.rows.iter_mut().for_each(|row| drop(row.remove(column)));
            }
        }
        self
    }

    /// Columns divided by blanks.
    pub(super) fn terminal(&self) -> String {
        let lines = || std::iter::once(&self.head).chain(&self.rows);
        let width = |column: usize| lines().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        let mut text = String::new();
        for line in lines() {
            let mut row = String::new();
            for (column, (cell, &width)) in line.iter().zip(&widths).enumerate() {
                let pad = " ".repeat(width - cell.chars().count());
                let gap = if column == 0 { "" } else { "  " };
                let _ = if column == 0 { write!(row, "{gap}{cell}{pad}") } else { write!(row, "{gap}{pad}{cell}") };
            }
            let _ = writeln!(text, "{}", row.trim_end());
        }
        text
    }

    /// The table as Markdown.
    pub(super) fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let clean = cells.iter().map(|cell| cell.replace('|', "\\|").replace('\n', " "));
            format!("| {} |\n", clean.collect::<Vec<_>>().join(" | "))
        };
        let rule = format!("|---|{}\n", "---:|".repeat(self.head.len() - 1));
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        line(&self.head) + &rule + &rows
    }

    /// The table as HTML.
    pub(super) fn html(&self) -> String {
        let line = |tag: &str, cells: &[String]| {
            let cells = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", super::html::escape(cell)));
            format!("<tr>{}</tr>\n", cells.collect::<String>())
        };
        let rows: String = self.rows.iter().map(|row| line("td", row)).collect();
        format!("<table>\n{}{rows}</table>", line("th", &self.head))
    }
}
