import type { Source } from '#contract/monitoring/words.ts';

/** What the exit code of a command means where nothing but the code is told, by the tool that the key was made for. */
export function statusOfExit(tool: Source, exit: number): 'Success' | 'Warning' | 'Failed' {
  if (exit === 0) return 'Success';
  switch (tool) {
    case 'restic': return exit === 3 ? 'Warning' : 'Failed';
    case 'borg': case 'borgmatic': return exit === 1 || (exit >= 100 && exit <= 127) ? 'Warning' : 'Failed';
    case 'rclone': return exit === 9 ? 'Success' : 'Failed';
    default: return 'Failed';
  }
}
