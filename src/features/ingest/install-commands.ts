import type { Ms } from '#contract/ids.ts';
import type { Source } from '#contract/runs/vocabulary.ts';

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

/**
 * `origin` is this site's, `now` the time that an example tells, `job` the name under which the
 * results appear, `secret` the key in clear.
 */
export interface RecipeAt {
  readonly origin: string;
  readonly secret: string;
  readonly job: string;
  readonly now: Ms;
}

export interface ToolChoice {
  readonly tool: Source;
  readonly word: string;
  readonly detail: string;
}

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
    case 'restic':
      return {
        says: 'Run your backup like this:',
        text: script([
          `RESTIC_PROGRESS_FPS=0.1 restic backup --json /path/to/data >"$d/out" 2>&1 || rc=$?`,
          `LC_ALL=C sed '/"message_type":"status"/d' "$d/out" | tail -c 1000000 |`,
          ...post(at, 'restic', 'exit=$rc', HOST),
        ]),
        note: `Replace /path/to/data with your folder. The repository and its password come from the environment, as before. ${IN_A_FILE}`,
        also: {
          says: 'To add snapshots that already exist, run this once:',
          text: script([
            `restic snapshots --json --latest 1000 >"$d/out" || rc=$?`,
            ...postPacked(at, 'restic', HOST),
          ]),
          note: 'Each snapshot becomes a successful run at its own time. Snapshots that were already reported are not added twice. If the list is too large, use a smaller number after --latest.',
        },
      };
    case 'borg':
      return {
        says: 'Run your backup like this:',
        text: script([
          `borg create --json /path/to/repo::'{now}' /path/to/data >"$d/out" 2>"$d/err" || rc=$?`,
          ...both(at, 'borg', 'exit=$rc', HOST, ZONE),
        ]),
        note: `Replace the repository and the folder with your own. Borg writes times without a zone, so the command sends the zone of this machine. ${IN_A_FILE}`,
        also: {
          says: 'To add archives that already exist, run this once:',
          text: script([
            `borg list --json --last 1000 /path/to/repo >"$d/out" || rc=$?`,
            ...postPacked(at, 'borg', HOST, ZONE),
          ]),
          note: 'Each archive becomes a successful run at its own time. Archives that were already reported are not added twice. If the list is too large, use a smaller number after --last.',
        },
      };
    case 'borgmatic':
      return {
        says: 'For borgmatic 1.8 or newer, add this to /etc/borgmatic/config.yaml:',
        text: `healthchecks:\n    ping_url: ${yaml(pingUrl(at))}\nmonitoring_verbosity: 1\n`,
        note: 'The next run reports its start, its end and its log. Without monitoring_verbosity, files that could not be read are not reported.',
        also: {
          says: 'For borgmatic 1.7 or older, add this instead, and run borgmatic with --monitoring-verbosity 1:',
          text: `hooks:\n    healthchecks:\n        ping_url: ${yaml(pingUrl(at))}\n`,
          note: 'Without that option, files that could not be read are not reported, and neither is the reason of a failure.',
        },
      };
    case 'rclone':
      return {
        says: 'Run your copy like this:',
        text: script([
          `rclone sync /path/to/data remote:path --use-json-log --stats-log-level NOTICE >"$d/out" 2>&1 || rc=$?`,
          `tail -c 1000000 "$d/out" |`,
          ...post(at, 'rclone', 'exit=$rc', HOST),
        ]),
        note: `Replace the folder and the remote with your own. The same works with rclone copy and rclone move. ${IN_A_FILE}`,
      };
    case 'kopia':
      return {
        says: 'Run your snapshot like this:',
        text: script([
          `kopia snapshot create --json --no-progress /path/to/data >"$d/out" 2>"$d/err" || rc=$?`,
          ...both(at, 'kopia', 'exit=$rc', HOST),
        ]),
        note: `Replace /path/to/data with your folder. ${IN_A_FILE}`,
      };
    case 'duplicati':
      return {
        says: 'Set this advanced option on the backup, or in the default options of Duplicati:',
        text: `--send-http-json-urls=${at.origin}/api/v1/ingest/duplicati?access_token=${url(at.secret)}`,
        note: 'Every backup reports its result, warnings and errors under its own name. The address contains the key: treat it like a password. Needs Duplicati 2.1 or newer.',
      };
    case 'bacula':
      return {
        says: 'For a catalog in PostgreSQL, run this as RunAfterJob or from a timer. It sends the jobs of the last day:',
        text: catalog(at, [
          `psql -AtXq -U bacula bacula >"$d/out" <<'SQL' || rc=$?`,
          ...SQL_POSTGRES,
          'SQL',
        ]),
        note: `Each job appears under its own name. Jobs that were already reported are not added twice. ${IN_A_FILE}`,
        also: {
          says: 'For a catalog in SQLite, run this instead:',
          text: catalog(at, [
            `sqlite3 -json /var/lib/bacula/bacula.db >"$d/out" <<'SQL' || rc=$?`,
            ...SQL_SQLITE,
            'SQL',
            `[ -s "$d/out" ] || echo '[]' >"$d/out"`,
          ]),
          note: 'Needs sqlite3 3.33 or newer. Run it as a user who may read the catalog.',
        },
      };
    case 'ping':
      return {
        says: 'Run your command like this:',
        text: `( trap : INT TERM; P=${shell(pingUrl(at))}; log=$(mktemp); rc=0
curl -fsS -m 10 --retry 5 -o /dev/null "$P/start" || echo 'The start was not reported.' >&2
your-command >"$log" 2>&1 || rc=$?
tail -c 100000 "$log" |
  curl -fsS -m 10 --retry 5 --retry-connrefused -o /dev/null --data-binary @- "$P/$rc" ||
  echo 'The result was not reported.' >&2
rm -f "$log"; exit $rc )`,
        note: `It appears as “${slugOf(at.job)}”. Exit code 0 is a success; any other code is a failure. Any healthchecks client can use the same address.`,
        also: {
          says: 'Or, with Node 20 or newer, use the wrapper:',
          text: `[ -f daybook-run.mjs ] || curl -fsSo daybook-run.mjs ${shell(`${at.origin}/daybook-run.mjs`)}; DAYBOOK_URL=${shell(at.origin)} DAYBOOK_KEY=${shell(at.secret)} node daybook-run.mjs --job ${shell(at.job)} -- your-command`,
          note: 'One file without dependencies, made for cron. It reports the start, the end, the exit code and the end of the output, and exits with the code of the command. A report that cannot be sent is stored and goes out with the next one. It knows which codes of restic, borg and rsync are warnings.',
        },
      };
    default:
      return {
        says: 'Post one result, or an array of up to 1,000:',
        text: `curl -fsS --retry 3 -H ${shell(`Authorization: Bearer ${at.secret}`)} -H 'Content-Type: application/json' --data ${shell(JSON.stringify({ job: at.job, computer: 'server-1', status: 'Success', startTime: iso(at.now - 750_000), endTime: iso(at.now), bytesTransferred: 1_048_576 }))} ${shell(`${at.origin}/api/v1/ingest/executions`)}`,
        note: 'Times with their zone, sizes in bytes. The answer says which record was not accepted, and why.',
      };
  }
}

/** The word of a tool in lists. */
export const toolWord = (tool: Source): string =>
  TOOL_CHOICES.find((choice) => choice.tool === tool)?.word ?? tool;

/** The name of a job as an address may carry it: `SQL nightly, tier 1` is `sql-nightly-tier-1`. */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
    .replace(/-+$/, '');
  return slug === '' ? 'backup' : slug;
}

/** One word of a shell, whatever is in it. */
export const shell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const pingUrl = ({ origin, secret, job }: RecipeAt): string =>
  `${origin}/ping/${url(secret)}/${slugOf(job)}`;

const HOST = 'host=$(uname -n)';
/** The offset of this machine, its plus sign escaped. */
const ZONE = "tz=$(date +%z | sed 's/+/%2B/')";
const IN_A_FILE = 'For cron, save it as a script: cron treats % as a line break.';

/**
 * A command and its report, for any POSIX shell. In a subshell, so that nothing of it stays behind:
 * Ctrl+C ends the command and not the report, and the exit code is that of the command.
 */
const script = (lines: readonly string[]): string =>
  ['( trap : INT TERM; d=$(mktemp -d); rc=0', ...lines, 'rm -rf "$d"; exit $rc )'].join('\n');

/**
 * Sends all of standard output and the end of the errors: a body may have 1 MB, and the JSON must
 * not be cut.
 */
const both = (at: RecipeAt, tool: string, ...query: readonly string[]): string[] => [
  `{ tail -c 900000 "$d/err"; cat "$d/out"; } |`,
  ...post(at, tool, ...query),
];

type PostAt = Pick<RecipeAt, 'origin' | 'secret'> & { readonly job: string | null };

/**
 * The query is in double quotes, so that `$rc` counts: nothing else in it may mean anything to a
 * shell.
 */
const curl = (
  { origin, secret, job }: PostAt,
  tool: string,
  body: string,
  query: readonly string[],
  isPacked = false,
): string[] => [
  `  curl -fsS -m 60 --retry 5 --retry-connrefused -o /dev/null --data-binary @${body} \\`,
  `    -H ${shell(`Authorization: Bearer ${secret}`)}${isPacked ? ` -H 'Content-Encoding: gzip'` : ''} \\`,
  `    "${origin}/api/v1/ingest/${tool}?${[...(job === null ? [] : [`job=${url(job)}`]), ...query].join('&')}" ||`,
];
const post = (at: PostAt, tool: string, ...query: readonly string[]): string[] => [
  ...curl(at, tool, '-', query),
  `  echo 'The report was not sent.' >&2`,
];
/** Where there is no backup whose exit code counts, a report that was not sent is a failure. */
const postFile = (at: PostAt, tool: string, ...query: readonly string[]): string[] => [
  '[ $rc -ne 0 ] ||',
  ...curl(at, tool, '"$d/out"', query),
  `  { echo 'The report was not sent.' >&2; rc=1; }`,
];

/** A list is JSON that must not be cut. Packed, it may have 4 MB in place of 1 MB. */
const postPacked = (at: PostAt, tool: string, ...query: readonly string[]): string[] => [
  '[ $rc -ne 0 ] || gzip "$d/out" || rc=$?',
  '[ $rc -ne 0 ] ||',
  ...curl(at, tool, '"$d/out.gz"', query, true),
  `  { echo 'The report was not sent.' >&2; rc=1; }`,
];

/** Sends rows of a catalog, once they could be read. */
const catalog = (at: RecipeAt, read: readonly string[]): string =>
  script([...read, ...postFile({ ...at, job: null }, 'bacula', HOST, ZONE)]);

/** The log only of jobs that did not go well, and its end: a body may have 1 MB. */
const SQL_POSTGRES: readonly string[] = [
  `SELECT coalesce(json_agg(j), '[]') FROM (`,
  '  SELECT job.*, client.name AS clientname,',
  "    (SELECT right(string_agg(log.logtext, '' ORDER BY log.logid), 5000) FROM log",
  "     WHERE log.jobid = job.jobid AND (job.jobstatus <> 'T' OR job.joberrors > 0)) AS logtext",
  '  FROM job LEFT JOIN client USING (clientid)',
  "  WHERE job.schedtime > now() - interval '1 day' ORDER BY job.jobid DESC LIMIT 150) j;",
];
const SQL_SQLITE: readonly string[] = [
  'SELECT Job.*, Client.Name AS ClientName,',
  "  (SELECT substr(group_concat(LogText, ''), -5000) FROM Log",
  "   WHERE Log.JobId = Job.JobId AND (Job.JobStatus <> 'T' OR Job.JobErrors > 0)) AS LogText",
  'FROM Job LEFT JOIN Client USING (ClientId)',
  "WHERE Job.SchedTime > datetime('now', 'localtime', '-1 day') ORDER BY Job.JobId DESC LIMIT 150;",
];

/** As `encodeURIComponent`, and the five signs that it leaves, of which a shell reads some. */
const url = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const iso = (at: Ms): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

const yaml = (text: string): string => JSON.stringify(text);
