import type { Source } from '#contract/runs/vocabulary.ts';

/** Returns the status for an exit code that comes without output, by the tool of the key. */
export function statusOfExit(tool: Source, exit: number): 'Success' | 'Warning' | 'Failed' {
  if (exit === 0) return 'Success';
  switch (tool) {
    case 'restic':
      return exit === 3 ? 'Warning' : 'Failed';
    case 'borg':
    case 'borgmatic':
      return exit === 1 || (exit >= 100 && exit <= 127) ? 'Warning' : 'Failed';
    case 'rclone':
      return exit === 9 ? 'Success' : 'Failed';
    default:
      return 'Failed';
  }
}

/**
 * Returns a message if the exit code is 128 plus the number of a signal; null for any other code.
 */
export function signalSentence(program: string, exit: number | null): string | null {
  if (exit === null || exit <= 128 || exit > 192) return null;
  const signal = exit - 128;
  switch (signal) {
    case 1:
      return `Cancelled: ${program} ended because its terminal was closed (SIGHUP, signal 1).`;
    case 2:
      return `Cancelled: ${program} was interrupted (SIGINT, signal 2).`;
    case 9:
      return `Killed: ${program} received SIGKILL (signal 9). The machine was probably out of memory, or somebody killed it.`;
    case 15:
      return `Cancelled: ${program} was terminated (SIGTERM, signal 15), for example by a shutdown.`;
    default: {
      const name = SIGNALS[signal];
      return `Ended by a signal: ${program} received ${name === undefined ? `signal ${signal}` : `${name} (signal ${signal})`}.`;
    }
  }
}

/** Linux signal numbers. */
const SIGNALS: Readonly<Record<number, string>> = {
  3: 'SIGQUIT',
  4: 'SIGILL',
  6: 'SIGABRT',
  7: 'SIGBUS',
  8: 'SIGFPE',
  11: 'SIGSEGV',
  13: 'SIGPIPE',
  14: 'SIGALRM',
  24: 'SIGXCPU',
  25: 'SIGXFSZ',
  31: 'SIGSYS',
};
