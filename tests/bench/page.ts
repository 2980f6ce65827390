/** Writes the figures into `docs/measured.md`, a section for each part of the benchmark. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { APP_VERSION } from '../../contract/app-version.ts';
import { formatFigure, getNotes, type Sheet } from './figures.ts';

const PAGE = 'docs/measured.md';
const HEAD = `# Measured

The benchmark writes this page: \`npm run bench -- --page\`, or one part of it with its name. Each section
says with which version and on what machine it was measured. Peers ran in the same run. Goals are those
of the design; a figure that misses its goal stays here as it is.
`;

interface Part {
  readonly name: string;
  readonly title: string;
  /** Options besides the name, such as `--runs 500000`. */
  readonly options: readonly string[];
  /** The load of the machine before it began. */
  readonly load: number;
  readonly sheets: readonly Sheet[];
}

/** The load of the machine in the last minute. */
export const getLoad = (): number => loadavg()[0] ?? 0;

/** Replaces the section of a part, or adds it. */
export function writePart(part: Part): void {
  const page = existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '';
  const sections = new Map(
    page
      .split(/^(?=## )/m)
      .slice(1)
      .map((text) => [/^npm run bench -- (\w+)/m.exec(text)?.[1] ?? '', text.trimEnd()]),
  );
  sections.set(part.name, getSection(part));
  writeFileSync(PAGE, `${[HEAD.trimEnd(), ...sections.values()].join('\n\n')}\n`);
}

function getSection({ name, title, options, load, sheets }: Part): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return [
    `## ${title}`,
    `\`\`\`\nnpm run bench -- ${[name, ...options].join(' ')}\n\`\`\``,
    `Version ${APP_VERSION} on ${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${memory} GB of memory, load ${load.toFixed(1)} before.`,
    ...sheets.map(getMarkdown),
  ].join('\n\n');
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
function getMarkdown(sheet: Sheet): string {
  const { title, columns, figures } = sheet;
  const notes = getNotes(sheet);
  return [
    `### ${title}`,
    [
      row(['', ...columns, 'goal']),
      row(['---', ...columns.map(() => '---:'), '---']),
      ...figures.map(({ what, unit, values, goal }) =>
        row([
          `${what} (${unit})`,
          ...columns.map((column) => formatFigure(values[column])),
          goal ?? '',
        ]),
      ),
    ].join('\n'),
    ...(notes.length === 0 ? [] : [notes.map((note) => `- ${note}`).join('\n')]),
  ].join('\n\n');
}
