import { isCommandName, readArguments } from './command-syntax.ts';

/**
 * `check-arguments NAME [arguments]`: checks the arguments of a command before anything is built. Exits
 * as the command would with its usage, and with PROCEED if the command can run.
 */
const PROCEED = 100;

const [name = '', ...args] = process.argv.slice(2);
if (isCommandName(name)) readArguments(name, args);
process.exitCode = PROCEED;
