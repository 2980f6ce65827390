interface SourceText {
  readonly path: string;
  readonly text: string;
}

/** Returns the files with an effect that asks the server, itself or through a named function. */
export function findAskingEffects(sources: readonly SourceText[]): readonly string[] {
  const all = sources.map(({ path, text }) => {
    const code = withoutComments(text);
    return { path, code, functions: findFunctions(code) };
  });
  // Functions that other files import; each file has its own ones besides.
  const shared = new Set(
    all.flatMap(({ code, functions }) =>
      [...findAskingNames(functions, new Set())].filter((name) =>
        new RegExp(`\\bexport (?:async )?(?:function|const) ${name}\\b`).test(code),
      ),
    ),
  );
  return all
    .filter(({ code, functions }) => {
      const imported = [...code.matchAll(/\bimport \{([^}]*)\}/g)]
        .flatMap(([, names = '']) => names.split(',').map((name) => name.trim()))
        .filter((name) => shared.has(name));
      const asking = findAskingNames(functions, new Set(imported));
      return [...code.matchAll(/\buse(?:Layout)?Effect\(/g)].some(({ index, 0: { length } }) =>
        doesAsk(getCall(code, index + length), asking),
      );
    })
    .map(({ path }) => path)
    .toSorted();
}

/** Returns the names of functions that ask, themselves or through another one of them. */
function findAskingNames(
  functions: ReadonlyMap<string, string>,
  known: ReadonlySet<string>,
): ReadonlySet<string> {
  const more = [...functions].filter(([name, code]) => !known.has(name) && doesAsk(code, known));
  return more.length === 0
    ? known
    : findAskingNames(functions, new Set([...known, ...more.map(([name]) => name)]));
}

const doesAsk = (code: string, asking: ReadonlySet<string>): boolean =>
  /\bclient\(\)\s*\.(?:ask|read|file)\(|(?<![.\w])fetch\(|\bworkload\s*\.(?:list|get)\w*\(/.test(
    code,
  ) || [...asking].some((name) => new RegExp(`(?<![.\\w])${name}\\b`).test(code));

/** Returns the functions of a formatted file, but hooks and components, with their code. */
function findFunctions(code: string): ReadonlyMap<string, string> {
  const lines = code.split('\n');
  return new Map(
    lines.flatMap((line, at) => {
      const [, indent = '', declared, assigned] = FUNCTION.exec(line) ?? [];
      const name = declared ?? assigned ?? '';
      if (name === '' || /^(?:use[A-Z]|[A-Z])/.test(name)) return [];
      const rest = lines.slice(at + 1);
      // Up to the next line that is indented as the first one, and doesn't go on with it.
      const end = rest.findIndex(
        (next) => next !== '' && !next.startsWith(`${indent} `) && !/^ *[)}\]].*[^;}]$/.test(next),
      );
      const isClosing = /^ *[)}\]]/.test(rest[end] ?? '');
      const body = end === -1 ? rest : rest.slice(0, isClosing ? end + 1 : end);
      return [[name, [line, ...body].join('\n')] as const];
    }),
  );
}
const FUNCTION =
  /^( *)(?:export )?(?:(?:async )?function (\w+)|const (\w+) = (?:use(?:EffectEvent|Callback)\(|(?:async )?[(<]))/;

/** Returns the arguments of a call, from after its parenthesis. */
function getCall(code: string, from: number): string {
  let depth = 1;
  let at = from;
  for (; at < code.length && depth > 0; at += 1)
    if (code[at] === '(') depth += 1;
    else if (code[at] === ')') depth -= 1;
  return code.slice(from, at);
}

/** Returns code without its comments and the content of its strings. */
export const withoutComments = (text: string): string =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\/\/.*$/gm, '')
    .replace(/'(?:[^'\\\n]|\\.)*'|`[^`]*`/g, "''");
