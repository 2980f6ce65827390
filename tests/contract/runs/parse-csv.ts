import { BOM } from '#contract/runs/csv.ts';

const END = '\r\n';

/**
 * Lines of text cells as they were written, without the BOM. Throws a RangeError where the text is
 * no such file.
 */
export function parseCsv(text: string): string[][] {
  const lines: string[][] = [];
  const rest = text.startsWith(BOM) ? text.slice(1) : text;
  let line: string[] = [];
  let at = 0;
  while (at < rest.length) {
    let cell = '';
    if (rest[at] === '"') {
      const open = at;
      for (at += 1; ; at += 2) {
        const end = rest.indexOf('"', at);
        if (end < 0) throw new RangeError(`csv: the quote at ${open} is not closed`);
        cell += rest.slice(at, end);
        at = end;
        if (rest[at + 1] !== '"') break;
        cell += '"';
      }
      at += 1;
    } else {
      const from = at;
      while (at < rest.length && rest[at] !== ',' && rest[at] !== '\r') at += 1;
      cell = rest.slice(from, at);
    }
    line.push(cell);
    if (rest[at] === ',') {
      at += 1;
      if (at === rest.length) throw new RangeError('csv: the last line has no end');
      continue;
    }
    if (!rest.startsWith(END, at)) throw new RangeError(`csv: a line should end at ${at}`);
    at += END.length;
    lines.push(line);
    line = [];
  }
  return lines;
}
