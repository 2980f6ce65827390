#!/usr/bin/env node
// Runs a command and reports its start, end, duration, exit code and the tail of its output to
// Daybook. One file, no dependencies, Node 20 or newer. Output, signals and exit code of the command
// are the same as without the wrapper, even if reporting fails: a report that can't be sent is stored
// and sent after the next run.

import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, homedir, hostname, tmpdir, userInfo } from 'node:os';
import { basename, join } from 'node:path';

const HELP = `Run a command and report its result to Daybook.

Usage:
  node daybook-run.mjs --url URL --key KEY --job NAME [options] -- COMMAND [ARGUMENT…]

Options:
  --url URL          portal URL, such as https://portal.example (env DAYBOOK_URL)
  --key KEY          key from "Connect a source" (env DAYBOOK_KEY, which other users can't see)
  --key-file FILE    read the key from a file
  --job NAME         job name in the portal (default: the name of the command)
  --host NAME        name of this machine (default: its host name)
  --every SECONDS    how often the job runs
  --cron 'M H D M W' when the job runs, as a cron expression
  --tz ZONE          time zone of --cron (default: that of this machine)
  --warning CODES    exit codes that count as a warning, such as 3,24
                     (default: those of restic, borg and rsync)
  --keep FOLDER      folder for reports that couldn't be sent (env DAYBOOK_KEEP)
  --quiet            don't print messages about reporting
  --help             show this help

The exit code is that of the command. The key is never printed or passed to the command.
`;

/** Maximum output in a report. */
const MAX_LOG_BYTES = 100_000;
const MAX_ATTEMPTS = 4;
const REQUEST_TIMEOUT_MS = 10_000;
const RETRY_DELAY_MS = 500;
const MAX_RETRY_DELAY_MS = 20_000;
/** Limits on the number and the age of stored reports. */
const MAX_STORED_REPORTS = 200;
const MAX_REPORT_AGE_MS = 30 * 86_400_000;
/** How long to wait for output of child processes that the command left running. */
const OUTPUT_GRACE_MS = 1_000;
const WARNING_CODES = {
  restic: [3],
  borg: [1, ...Array.from({ length: 28 }, (_, n) => 100 + n)],
  rsync: [23, 24],
};
/** Options that take a value. */
const VALUE_OPTIONS = [
  'url',
  'key',
  'key-file',
  'job',
  'host',
  'every',
  'cron',
  'tz',
  'warning',
  'keep',
];

const options = readArguments(process.argv.slice(2));
if (options.help || options.command.length === 0) {
  (options.help ? process.stdout : process.stderr).write(HELP);
  process.exit(options.help ? 0 : 64);
}
await main(options);

async function main({ command, quiet, errors, ...settings }) {
  const warn = (text) => {
    if (!quiet) process.stderr.write(`daybook-run: ${redact(text, settings.key)}\n`);
  };
  for (const error of errors) warn(error);
  const reporter = createReporter(settings, warn);
  const startedAt = Date.now();
  const record = {
    job: settings.job,
    computer: settings.host,
    source: 'api',
    externalId: randomUUID(),
    startTime: new Date(startedAt).toISOString(),
    ...(settings.schedule === null ? {} : { schedule: settings.schedule }),
    detail: { command: basename(command[0]).slice(0, 200) },
  };
  const startReport = reporter?.reportStart({ ...record, status: 'Running' });
  const { code, error, output } = await run(command);
  const endedAt = Date.now();
  const status =
    code === 0
      ? 'Success'
      : getWarningCodes(settings.warnings, command[0]).includes(code)
        ? 'Warning'
        : 'Failed';
  const log = redact(output, settings.key);
  const message = error ?? getLastLine(log) ?? `Ended with exit code ${code}.`;
  startReport?.abort();
  await reporter?.reportEnd({
    ...record,
    status,
    endTime: new Date(endedAt).toISOString(),
    durationSec: Math.round((endedAt - startedAt) / 1000),
    exitCode: code,
    ...(status === 'Success' ? {} : { message: message.slice(0, 2_000) }),
    ...(log.trim() === '' ? {} : { log }),
  });
  // On a slow pipe, output may still be pending.
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
}

/** Returns the last line that isn't empty, or undefined. */
function getLastLine(text) {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .at(-1);
}

/** Runs the command, passes its output through, and captures the tail. Never throws. */
function run([name, ...args]) {
  return new Promise((resolve) => {
    const chunks = [];
    let size = 0;
    let hasEnded = false;
    const { DAYBOOK_KEY: _key, ...env } = process.env;
    const child = spawn(name, args, { stdio: ['inherit', 'pipe', 'pipe'], env });
    // On a terminal, the command receives Ctrl C directly.
    const signals = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGINT', 'SIGQUIT'].filter(
      (signal) => process.platform !== 'win32' || signal === 'SIGINT' || signal === 'SIGTERM',
    );
    const handlers = signals.map((signal) => [
      signal,
      () => {
        if (!(process.stdin.isTTY && (signal === 'SIGINT' || signal === 'SIGQUIT')))
          child.kill(signal);
      },
    ]);
    for (const [signal, forward] of handlers) process.on(signal, forward);
    const passThrough = (from, to) => {
      let isOpen = true;
      to.on('error', () => {
        isOpen = false;
        from.resume();
      });
      from.on('data', (chunk) => {
        chunks.push(chunk);
        size += chunk.length;
        while (chunks.length > 1 && size - chunks[0].length >= MAX_LOG_BYTES)
          size -= chunks.shift().length;
        if (isOpen && !to.write(chunk)) {
          from.pause();
          to.once('drain', () => from.resume());
        }
      });
    };
    passThrough(child.stdout, process.stdout);
    passThrough(child.stderr, process.stderr);
    const end = (code, error = null) => {
      if (hasEnded) return;
      hasEnded = true;
      for (const [signal, forward] of handlers) {
        process.off(signal, forward);
        process.on(signal, () => undefined);
      }
      resolve({
        code,
        error,
        output: Buffer.concat(chunks)
          .subarray(-MAX_LOG_BYTES)
          .toString('utf8')
          .replace(/^\uFFFD+/, ''),
      });
    };
    child.on('error', ({ code = 'unknown' }) => {
      const error = `${name} could not be started (${code}).`;
      process.stderr.write(`daybook-run: ${error}\n`);
      end(code === 'ENOENT' ? 127 : 126, error);
    });
    child.on('close', (code, signal) =>
      end(getExitCode(code, signal), signal === null ? null : `Ended by ${signal}.`),
    );
    child.on('exit', (code, signal) =>
      setTimeout(() => {
        end(getExitCode(code, signal), signal === null ? null : `Ended by ${signal}.`);
        child.stdout.destroy();
        child.stderr.destroy();
      }, OUTPUT_GRACE_MS).unref(),
    );
  });
}

/** The exit code as a shell reports it. */
function getExitCode(code, signal) {
  return code ?? 128 + (constants.signals[signal] ?? 0);
}

/** Creates a client of the portal's API. Returns null without a URL or a key. */
function createReporter({ url, key, spoolFolder }, warn) {
  if (url === null || key === null) return null;
  const endpoint = `${url}/api/v1/ingest/executions`;
  const prefix = createHash('sha256').update(`${url} ${key}`).digest('hex').slice(0, 16);

  /** Returns 'done', 'rejected' (the server will never accept it) or 'later'. */
  async function send(records, signal, maxAttempts = MAX_ATTEMPTS) {
    for (let attempt = 1; ; attempt += 1) {
      let delayMs = RETRY_DELAY_MS * 2 ** attempt;
      try {
        const response = await fetch(endpoint, {
          method: 'POST',
          redirect: 'error',
          headers: { 'content-type': 'application/json', 'authorization': `Bearer ${key}` },
          body: JSON.stringify(records),
          signal: AbortSignal.any([
            AbortSignal.timeout(REQUEST_TIMEOUT_MS),
            ...(signal === undefined ? [] : [signal]),
          ]),
        });
        if (response.ok) {
          const body = await response.json().catch(() => null);
          const [rejection] = body?.data?.rejected ?? [];
          if (rejection !== undefined)
            warn(`the portal rejected the report: ${String(rejection.error).slice(0, 200)}`);
          return 'done';
        }
        await response.body?.cancel();
        if (response.status === 401) {
          warn('the portal rejected the key; check --key or DAYBOOK_KEY');
          return 'later';
        }
        if (response.status === 400 || response.status === 413 || response.status === 422) {
          warn(`the portal rejected the report (HTTP ${response.status})`);
          return 'rejected';
        }
        const retryAfter = Number(response.headers.get('retry-after'));
        if (retryAfter > 0) delayMs = Math.max(delayMs, retryAfter * 1000);
      } catch (error) {
        if (signal?.aborted) return 'later';
        if (attempt >= maxAttempts)
          warn(`can't reach the portal (${error?.cause?.code ?? error?.name ?? 'unknown error'})`);
      }
      if (attempt >= maxAttempts || delayMs > MAX_RETRY_DELAY_MS) return 'later';
      await new Promise((resolve) => {
        setTimeout(resolve, delayMs);
      });
    }
  }

  /** Returns the files of this portal and key, oldest first. */
  function listStoredReports() {
    try {
      return readdirSync(spoolFolder)
        .filter((name) => name.startsWith(`${prefix}-`) && name.endsWith('.json'))
        .sort()
        .map((name) => join(spoolFolder, name));
    } catch {
      return [];
    }
  }

  function storeReport(record) {
    try {
      mkdirSync(spoolFolder, { recursive: true, mode: 0o700 });
      chmodSync(spoolFolder, 0o700);
      const name = `${prefix}-${Date.parse(record.startTime)}-${record.externalId}.json`;
      writeFileSync(join(spoolFolder, name), JSON.stringify(record), { mode: 0o600 });
      warn('report stored; it will be sent after the next run');
      for (const file of listStoredReports().slice(0, -MAX_STORED_REPORTS))
        rmSync(file, { force: true });
    } catch (error) {
      warn(`can't store the report in ${spoolFolder} (${error?.code ?? 'unknown error'})`);
    }
  }

  async function sendStoredReports() {
    for (const file of listStoredReports()) {
      try {
        const record = JSON.parse(readFileSync(file, 'utf8'));
        if (
          Date.now() - Date.parse(record.startTime) < MAX_REPORT_AGE_MS &&
          (await send([record], undefined, 1)) === 'later'
        )
          return;
      } catch {
        /* The file can't be read, so there is nothing to send. */
      }
      rmSync(file, { force: true });
    }
  }

  return {
    /** Runs in parallel with the command. Nothing waits for it. */
    reportStart(record) {
      const controller = new AbortController();
      void send([record], controller.signal, 2).catch(() => undefined);
      return controller;
    },
    async reportEnd(record) {
      try {
        if ((await send([record])) === 'later') storeReport(record);
        else await sendStoredReports();
      } catch (error) {
        warn(`reporting failed (${error?.name ?? 'unknown error'})`);
      }
    },
  };
}

/** Removes the key from text that is printed or sent. */
function redact(text, key) {
  return key === null || key === '' ? text : text.replaceAll(key, '•••');
}

function getWarningCodes(configured, command) {
  const program = basename(command)
    .replace(/\.exe$/i, '')
    .toLowerCase();
  return configured ?? WARNING_CODES[program] ?? [];
}

/** Reports an invalid option and still runs the command: a backup matters more than its report. */
function readArguments(args) {
  const separator = args.indexOf('--');
  const own = separator < 0 ? args : args.slice(0, separator);
  const command = separator < 0 ? [] : args.slice(separator + 1);
  const values = {};
  const errors = [];
  let help = false;
  let quiet = false;
  for (let index = 0; index < own.length; index += 1) {
    const [, name, inlineValue] = /^--([a-z-]+)(?:=(.*))?$/s.exec(own[index]) ?? [];
    if (name === 'help') help = true;
    else if (name === 'quiet') quiet = true;
    else if (VALUE_OPTIONS.includes(name)) values[name] = inlineValue ?? own[(index += 1)] ?? '';
    // An argument may be the key, so it isn't printed.
    else if (name === undefined) errors.push('unexpected argument; see --help');
    else errors.push(`unknown option --${name}; see --help`);
  }
  const url = readUrl(values.url ?? process.env.DAYBOOK_URL ?? '', errors);
  const key = readKey(values, errors);
  if (url !== null && key === null)
    errors.push('not reporting: set DAYBOOK_KEY, --key or --key-file');
  return {
    command,
    help,
    quiet,
    errors,
    url,
    key,
    host: (values.host ?? hostname()).slice(0, 200),
    job: ((values.job ?? '').trim() || basename(command[0] ?? 'backup')).slice(0, 200),
    schedule: readSchedule(values, errors),
    warnings: values.warning === undefined ? null : values.warning.split(',').map(Number),
    spoolFolder: values.keep ?? process.env.DAYBOOK_KEEP ?? getDefaultSpoolFolder(),
  };
}

function readUrl(text, errors) {
  try {
    const url = new URL(text);
    if (/^https?:$/.test(url.protocol)) return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  } catch {
    /* Reported below. */
  }
  errors.push("not reporting: set --url or DAYBOOK_URL to the portal's URL");
  return null;
}

function readKey(values, errors) {
  let key = values.key ?? process.env.DAYBOOK_KEY ?? '';
  if (values['key-file'] !== undefined) {
    try {
      key = readFileSync(values['key-file'], 'utf8');
    } catch (error) {
      errors.push(`can't read --key-file (${error.code ?? 'unknown error'})`);
    }
  }
  return key.trim() === '' ? null : key.trim();
}

function readSchedule({ every, cron, tz }, errors) {
  if (cron !== undefined)
    return { type: 'cron', cron, tz: tz ?? Intl.DateTimeFormat().resolvedOptions().timeZone };
  if (every === undefined) return null;
  if (Number.isInteger(Number(every)) && Number(every) > 0)
    return { type: 'every', everySec: Number(every) };
  errors.push('--every must be a whole number of seconds');
  return null;
}

function getDefaultSpoolFolder() {
  const state = process.env.XDG_STATE_HOME;
  if (state) return join(state, 'daybook-run');
  const home = homedir();
  return home === '' || home === '/'
    ? join(tmpdir(), `daybook-run-${userInfo().uid}`)
    : join(home, '.local', 'state', 'daybook-run');
}
