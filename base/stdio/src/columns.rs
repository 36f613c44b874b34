/// Writes rows of cells below each other, in columns.
///
/// ```
/// use suffrage_stdio::TextColumns;
///
/// let rows = [["office", "term", "leader"], ["billing", "7", "b"]];
/// let columns = TextColumns::of(rows).right(|column| column == 1);
/// assert_eq!(columns.text(rows), "office   term  leader\nbilling     7  b\n");
///
/// let narrow = columns.within(16, [0, 2, 1]);
/// assert_eq!(narrow.left_out(&rows[0]), ["term"]);
/// assert_eq!(narrow.line(&rows[1]), "billing  b");
/// ```
#[derive(Clone, Debug)]
pub struct TextColumns(Vec<Column>);

#[derive(Clone, Copy, Debug)]
struct Column {
    /// The number of blanks before the column.
    gap: usize,
    width: usize,
    is_right: bool,
    is_kept: bool,
}

impl TextColumns {
    /// Makes columns from the number of blanks before each and its width.
    #[must_use]
    pub fn new(columns: &[(usize, usize)]) -> Self {
        let column = |&(gap, width)| Column { gap, width, is_right: false, is_kept: true };
        Self(columns.iter().map(column).collect())
    }

    /// Makes columns that are as wide as their widest cells, with two blanks between them.
    #[must_use]
    pub fn of<R: AsRef<[C]>, C: AsRef<str>>(rows: impl IntoIterator<Item = R>) -> Self {
        let mut columns: Vec<(usize, usize)> = Vec::new();
        for row in rows {
            for (at, cell) in row.as_ref().iter().enumerate() {
                let width = cell.as_ref().chars().count();
                match columns.get_mut(at) {
                    Some((_, widest)) => *widest = width.max(*widest),
                    None => columns.push((if at == 0 { 0 } else { 2 }, width)),
                }
            }
        }
        Self::new(&columns)
    }

    /// Aligns the cells of some columns, which have these numbers, to the right.
    #[must_use]
    pub fn right(mut self, is_right: impl Fn(usize) -> bool) -> Self {
        self.0.iter_mut().enumerate().for_each(|(at, column)| column.is_right = is_right(at));
        self
    }

    /// Keeps the columns that fit on a line of this width: the most important one in any case, which is the first
    /// of `importance`, and those after it while there is room.
    #[must_use]
    pub fn within(mut self, width: usize, importance: impl IntoIterator<Item = usize>) -> Self {
        self.0.iter_mut().for_each(|column| column.is_kept = false);
        let mut room = Some(width);
        for (order, at) in importance.into_iter().enumerate() {
            let column = &mut self.0[at];
            room = room.and_then(|room| room.checked_sub(column.gap + column.width));
            column.is_kept = order == 0 || room.is_some();
        }
        self
    }

    /// Returns whether there is room for a column.
    #[must_use]
    pub fn has(&self, column: usize) -> bool {
        self.0[column].is_kept
    }

    /// Returns the names of the columns for which there is no room.
    #[must_use]
    pub fn left_out<'a>(&self, names: &[&'a str]) -> Vec<&'a str> {
        names
            .iter()
            .zip(&self.0)
            .filter(|(_, column)| !column.is_kept)
            .map(|(name, _)| *name)
            .collect()
    }

    /// Formats a row, without trailing blanks.
    #[must_use]
    pub fn line(&self, cells: &[impl AsRef<str>]) -> String {
        let mut line = String::new();
        for (cell, column) in cells.iter().zip(&self.0).filter(|(_, column)| column.is_kept) {
            let (cell, Column { gap, width, .. }) = (cell.as_ref(), *column);
            line += &match column.is_right {
                true => format!("{:gap$}{cell:>width$}", ""),
                false => format!("{:gap$}{cell:width$}", ""),
            };
        }
        line.truncate(line.trim_end().len());
        line
    }

    /// Formats rows, each on a line.
    #[must_use]
    pub fn text<R: AsRef<[C]>, C: AsRef<str>>(&self, rows: impl IntoIterator<Item = R>) -> String {
        rows.into_iter().map(|row| self.line(row.as_ref()) + "\n").collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_table_has_the_most_important_columns() {
        let columns = TextColumns::new(&[(0, 10), (0, 20), (0, 30)]);
        let kept = |width| {
            let columns = columns.clone().within(width, [0, 2, 1]);
            [0, 1, 2].map(|column| columns.has(column))
        };
        assert_eq!(kept(60), [true, true, true]);
        assert_eq!(kept(59), [true, false, true]);
        assert_eq!(kept(39), [true, false, false]);
        assert_eq!(kept(5), [true, false, false]);
    }
}
