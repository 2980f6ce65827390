import type { Ms } from '#contract/ids.ts';
import type { Source } from '#contract/monitoring/words.ts';

/** What to run or to write down so that a tool reports here, ready to be copied. */
export interface Recipe {
  /** One sentence before it. */
  readonly says: string;
  readonly text: string;
  /** What to change in it, and what else there is to know. */
  readonly note: string;
  /** Another way to the same. */
  readonly also?: Recipe;
}

/** `origin` is this site's, `now` the time that an example tells, `job` the name under which the results appear, `secret` the key in clear. */
export interface RecipeAt { readonly origin: string; readonly secret: string; readonly job: string; readonly now: Ms }

export interface ToolChoice { readonly tool: Source; readonly word: string; readonly detail: string }

/** Tools with a recipe, in the order of the choice. */
export const TOOL_CHOICES: readonly ToolChoice[] = [
  { tool: 'restic', word: 'restic', detail: 'Sends what restic backup --json prints' },
  { tool: 'borg', word: 'Borg', detail: 'Sends what borg create --json prints' },
  { tool: 'borgmatic', word: 'borgmatic', detail: 'Its healthchecks hook, three lines of YAML' },
  { tool: 'rclone', word: 'rclone', detail: 'Sends the JSON log of a sync or copy' },
  { tool: 'kopia', word: 'Kopia', detail: 'Sends what kopia snapshot create --json prints' },
  { tool: 'duplicati', word: 'Duplicati', detail: 'Its own HTTP report, one option' },
  { tool: 'bacula', word: 'Bacula, Bareos', detail: 'Sends rows of the catalogue after a job' },
  { tool: 'ping', word: 'Any command', detail: 'Two pings round whatever you run, or a wrapper' },
  { tool: 'api', word: 'Own records', detail: 'Post results as JSON from your own script' },
];

export function recipeOf(tool: Source, at: RecipeAt): Recipe {
  switch (tool) {
    case 'restic': return {
      says: 'Run your backup like this:',
      text: `out=$(mktemp); restic backup --json /path/to/data >"$out" 2>&1; rc=$?; grep -v '"message_type":"status"' "$out" | ${post(at, 'restic', '&exit=$rc&host=$(hostname)')}; rm -f "$out"; (exit $rc)`,
      note: 'Put your own folder in place of /path/to/data. Repository and password come from the environment as before.',
    };
    case 'borg': return {
      says: 'Run your backup like this:',
      text: `out=$(mktemp); borg create --json /path/to/repo::'{now}' /path/to/data >"$out" 2>"$out.err"; rc=$?; cat "$out" "$out.err" | ${post(at, 'borg', "&exit=$rc&host=$(hostname)&tz=$(date +%:z | sed 's/+/%2B/')")}; rm -f "$out" "$out.err"; (exit $rc)`,
      note: 'Put your own repository and folder in. Borg writes times without a zone, so the line sends the zone along.',
    };
    case 'borgmatic': return {
      says: 'Add this to the borgmatic configuration (/etc/borgmatic/config.yaml):',
      text: `hooks:\n    healthchecks:\n        ping_url: ${yaml(pingUrl(at))}\n`,
      note: 'From borgmatic 1.8 on, leave out the line "hooks:" and move the rest four spaces to the left. The next run reports its start, its end and its log.',
    };
    case 'rclone': return {
      says: 'Run your copy like this:',
      text: `out=$(mktemp); rclone sync /path/to/data remote:path --use-json-log --stats-log-level NOTICE >"$out" 2>&1; rc=$?; ${post(at, 'rclone', '&exit=$rc&host=$(hostname)', '"$out"')}; rm -f "$out"; (exit $rc)`,
      note: 'Put your own folder and remote in. copy, move and the rest of rclone report in the same way.',
    };
    case 'kopia': return {
      says: 'Run your snapshot like this:',
      text: `out=$(mktemp); kopia snapshot create --json /path/to/data >"$out" 2>"$out.err"; rc=$?; cat "$out" "$out.err" | ${post(at, 'kopia', '&exit=$rc&host=$(hostname)')}; rm -f "$out" "$out.err"; (exit $rc)`,
      note: 'Put your own folder in place of /path/to/data.',
    };
    case 'duplicati': return {
      says: 'Set this advanced option on the backup, or in the default options of Duplicati:',
      text: `--send-http-json-urls=${at.origin}/api/v1/ingest/duplicati?access_token=${url(at.secret)}`,
      note: 'Every run reports its result, warnings and errors, under the name of its backup. The key stands in the address: treat it as a password.',
    };
    case 'bacula': return {
      says: 'Run this after each job, as RunAfterJob or from cron; it sends the jobs of the last day:',
      text: `psql -At -U bacula bacula -c "SELECT coalesce(json_agg(j), '[]') FROM (SELECT job.*, client.name AS clientname FROM job LEFT JOIN client USING (clientid) WHERE job.schedtime > now() - interval '1 day') j" | ${post({ ...at, job: null }, 'bacula', "tz=$(date +%:z | sed 's/+/%2B/')")}`,
      note: 'For a catalogue in PostgreSQL. Each job appears under its own name; one that was sent before is not counted twice.',
    };
    case 'ping': return {
      says: 'Put this round your command:',
      text: `P=${shell(pingUrl(at))}; log=$(mktemp); curl -fsS -m 10 --retry 5 -o /dev/null "$P/start"; your-command >"$log" 2>&1; rc=$?; tail -c 100000 "$log" | curl -fsS -m 10 --retry 5 -o /dev/null --data-binary @- "$P/$rc"; rm -f "$log"; (exit $rc)`,
      note: `It appears as “${slugOf(at.job)}”. Exit code 0 is a success, any other a failure. Any client of the healthchecks kind may use the same address.`,
      also: {
        says: 'Or, where Node 20 or newer is at hand, wrap it:',
        text: `[ -f daybook-run.mjs ] || curl -fsSo daybook-run.mjs ${shell(`${at.origin}/daybook-run.mjs`)}; DAYBOOK_URL=${shell(at.origin)} DAYBOOK_KEY=${shell(at.secret)} node daybook-run.mjs --job ${shell(at.job)} -- your-command`,
        note: 'One file without dependencies, right for cron: it reports the start, the end, the exit code and the tail of the output, and ends with the code of the command. A report that cannot be sent is kept and goes out with the next. With restic, borg and rsync it knows which codes are warnings.',
      },
    };
    default: return {
      says: 'Post one result, or an array of up to 1,000:',
      text: `curl -fsS --retry 3 -H ${shell(`Authorization: Bearer ${at.secret}`)} -H 'Content-Type: application/json' --data ${shell(JSON.stringify({ job: at.job, computer: 'server-1', status: 'Success', startTime: iso(at.now - 750_000), endTime: iso(at.now), bytesTransferred: 1_048_576 }))} ${shell(`${at.origin}/api/v1/ingest/executions`)}`,
      note: 'Times with their zone, sizes in bytes. The answer says which record was not accepted, and why.',
    };
  }
}

/** The word of a tool in lists. */
export const toolWord = (tool: Source): string => TOOL_CHOICES.find((choice) => choice.tool === tool)?.word ?? tool;

/** The name of a job as an address may carry it: `SQL nightly, tier 1` is `sql-nightly-tier-1`. */
export function slugOf(name: string): string {
  const slug = name.normalize('NFKD').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 60).replace(/-+$/, '');
  return slug === '' ? 'backup' : slug;
}

/** One word of a shell, whatever is in it. */
export const shell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const pingUrl = ({ origin, secret, job }: RecipeAt): string => `${origin}/ping/${url(secret)}/${slugOf(job)}`;

/** The query is in double quotes, so that `$rc` counts: nothing else in it may mean anything to a shell. */
const post = ({ origin, secret, job }: Omit<RecipeAt, 'job' | 'now'> & { readonly job: string | null }, tool: string, query: string, from = '-'): string =>
  `curl -fsS --retry 3 -o /dev/null -H ${shell(`Authorization: Bearer ${secret}`)} --data-binary @${from} "${origin}/api/v1/ingest/${tool}?${job === null ? '' : `job=${url(job)}`}${query}"`;

/** As `encodeURIComponent`, and the five signs that it leaves, of which a shell reads some. */
const url = (text: string): string => encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

const iso = (at: Ms): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

const yaml = (text: string): string => JSON.stringify(text);
