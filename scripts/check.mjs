// Static checks of the project: everything that needs no run.
import { run } from './node.mjs';

/** Formats every file, or with `--check` lists the files that are not formatted. */
export const format = (node, options = []) =>
  run(['node_modules/oxfmt/bin/oxfmt', ...options, '.'], { node });

/** Returns the names of the failed checks and the number of failures. */
export async function check(node) {
  const failed = [];
  // All layers in the order of their references in tsconfig.json.
  if ((await run(['node_modules/typescript/bin/tsc', '--build'], { node })) !== 0)
    failed.push('types');
  if ((await format(node, ['--check'])) !== 0) failed.push('format: run npm run format');
  if ((await run(['node_modules/oxlint/bin/oxlint', '--type-aware', '--quiet'], { node })) !== 0)
    failed.push('oxlint');
  if ((await run(['node_modules/knip/bin/knip.js', '--no-progress'], { node })) !== 0)
    failed.push('knip');
  return { failed, count: 4 };
}
