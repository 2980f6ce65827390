import { parseArgs } from 'node:util';
import { argumentMessages as t } from './command-arguments.messages.en.ts';

/** An option of a command. `value`: what the usage calls its value; without it, it takes none. */
export interface OptionSyntax {
  readonly type: 'string' | 'boolean';
  readonly value?: string;
  readonly summary: string;
  readonly isRequired?: boolean;
  /** Returns what is wrong with a value, or null. */
  readonly validate?: (value: string) => string | null;
}

/** What a command takes. */
export interface CommandSyntax {
  readonly summary: string;
  /** Required arguments in their order, or one name with … for any number of them. */
  readonly positionals?: readonly string[];
  /** Returns what is wrong with an argument, or null. */
  readonly validatePositional?: (value: string) => string | null;
  readonly options?: Readonly<Record<string, OptionSyntax>>;
  /** Options that don't exist for a reason, with what to do instead. */
  readonly refused?: Readonly<Record<string, string>>;
}

type Options<S extends CommandSyntax> =
  S['options'] extends Readonly<Record<string, OptionSyntax>>
    ? S['options']
    : Readonly<Record<string, never>>;
type Named<T extends readonly string[]> = { readonly [K in keyof T]: string };
type Positionals<S extends CommandSyntax> = S['positionals'] extends readonly [`${string}…`]
  ? readonly string[]
  : S['positionals'] extends readonly string[]
    ? Named<S['positionals']>
    : readonly [];

/** The arguments of a call of the command. An option that is missing is undefined. */
export interface CommandArguments<S extends CommandSyntax> {
  readonly values: {
    readonly [K in keyof Options<S>]?: Options<S>[K] extends { readonly type: 'boolean' }
      ? boolean
      : string;
  };
  readonly positionals: Positionals<S>;
}

export type ParsedArguments<S extends CommandSyntax> =
  | ({ readonly kind: 'arguments' } & CommandArguments<S>)
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly sentence: string };

const HELP = { type: 'boolean', short: 'h' } as const;

/**
 * Reads the arguments of a command. The sentence on what is wrong never has the value of an option or
 * argument, which may be a secret.
 */
export function parseArguments<S extends CommandSyntax>(
  syntax: S,
  args: readonly string[],
): ParsedArguments<S> {
  const config = {
    args: [...args],
    options: { ...syntax.options, help: HELP },
    allowPositionals: true,
  } as const;
  const { tokens } = parseArgs({ ...config, strict: false, tokens: true });
  if (tokens.some((token) => token.kind === 'option' && token.name === 'help'))
    return { kind: 'help' };
  try {
    const { values, positionals } = parseArgs(config);
    const sentence = findProblem(syntax, values, positionals);
    return sentence === null
      ? ({ kind: 'arguments', values, positionals } as unknown as ParsedArguments<S>)
      : { kind: 'wrong', sentence };
  } catch (error) {
    for (const token of tokens)
      if (token.kind === 'option') {
        const sentence = findOptionProblem(syntax, token);
        if (sentence !== null) return { kind: 'wrong', sentence };
      }
    throw error;
  }
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

/** Returns what the strict parser rejects about an option, or null. */
function findOptionProblem(
  { options = {}, refused = {} }: CommandSyntax,
  { name, rawName: option, value, inlineValue: isInline }: OptionToken,
): string | null {
  if (Object.hasOwn(refused, name)) return refused[name] ?? null;
  const syntax = Object.hasOwn(options, name) ? options[name] : undefined;
  if (syntax === undefined) return t.unknownOption({ option });
  if (syntax.type === 'boolean') return value === undefined ? null : t.noValue({ option });
  return value === undefined || (isInline !== true && value.startsWith('-'))
    ? t.valueMissing({ option })
    : null;
}

function findProblem(
  { options = {}, positionals: names = [], validatePositional }: CommandSyntax,
  values: Readonly<Record<string, unknown>>,
  positionals: readonly string[],
): string | null {
  const isOpen = names.at(-1)?.endsWith('…') === true;
  if (!isOpen && positionals.length > names.length)
    return t.tooManyArguments({ max: names.length });
  const missing = names[positionals.length];
  if (!isOpen && missing !== undefined) return t.argumentMissing({ name: missing });
  for (const positional of positionals) {
    const sentence = validatePositional?.(positional) ?? null;
    if (sentence !== null) return sentence;
  }
  for (const [name, { isRequired, validate }] of Object.entries(options)) {
    const value = values[name];
    if (value === undefined && isRequired === true) return t.optionMissing({ option: `--${name}` });
    const sentence = typeof value === 'string' ? (validate?.(value) ?? null) : null;
    if (sentence !== null) return sentence;
  }
  return null;
}

/** Returns how a command is called, what it does, and its options. */
export function formatUsage(name: string, syntax: CommandSyntax): string {
  const { summary, positionals = [], options = {} } = syntax;
  const required = Object.entries(options).filter(([, { isRequired }]) => isRequired === true);
  const words = [
    ...positionals.map((word) => (word.endsWith('…') ? `[${word}]` : word)),
    ...required.map(([option, { value = '' }]) => `--${option} ${value}`),
    ...(Object.keys(options).length > required.length ? [t.options] : []),
  ];
  const call = ['npm', ...(/^(?:start|test)$/.test(name) ? [] : ['run']), name].join(' ');
  const rows = [
    ...Object.entries(options).map(([option, { value, summary: text }]) => [
      value === undefined ? `--${option}` : `--${option} ${value}`,
      text,
    ]),
    ['--help', t.help],
  ];
  const width = Math.max(...rows.map(([option = '']) => option.length));
  return [
    t.usage({ call: words.length === 0 ? call : `${call} -- ${words.join(' ')}` }),
    '',
    summary,
    '',
    ...rows.map(([option = '', text]) => `  ${option.padEnd(width)}  ${text}`),
    '',
  ].join('\n');
}
