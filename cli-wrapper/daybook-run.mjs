#!/usr/bin/env node
// Runs a command and reports to Daybook how it went: its start, its end, how long it took, and the
// tail of its output. One file, no dependencies, Node 20 or newer. The command's output, signals and
// exit code are the same as without the wrapper, even if reporting fails: a report that could not be
// sent is stored and sent with the next one.

import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, homedir, hostname, tmpdir, userInfo } from 'node:os';
import { basename, join } from 'node:path';

const HELP = `Usage: node daybook-run.mjs --url ADDRESS --key KEY --job NAME [options] -- COMMAND [ARGUMENT…]

  --url ADDRESS      the portal, as https://portal.example (or DAYBOOK_URL)
  --key KEY          the key of "Connect a source" (better DAYBOOK_KEY: other users of the machine see the arguments of a command)
  --key-file FILE    a file that holds the key
  --job NAME         the name of the job in the portal
  --host NAME        the name of this machine; by default its own
  --every SECONDS    how often it is to run; --cron 'M H D M W' and --tz ZONE instead: by the clock
  --warning CODES    exit codes that are warnings, as 3,24; by default those of restic, borg and rsync
  --keep FOLDER      where reports wait that could not be sent
  --quiet            says nothing of the reporting

The key is never printed, and not handed on to the command.
`;

/** Bytes of output in a report, attempts to send it, and their timeouts. */
const TAIL = 100_000;
const TRIES = 4;
const TRY_MS = 10_000;
const PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 20_000;
/** Limits on the number and the age of stored reports. */
const MAX_STORED = 200;
const KEPT_MS = 30 * 86_400_000;
/** How long to wait for output of child processes that the command left running. */
const LATE_MS = 1_000;
const WARNINGS = {
  restic: [3],
  borg: [1, ...Array.from({ length: 28 }, (_, n) => 100 + n)],
  rsync: [23, 24],
};

const options = readArguments(process.argv.slice(2));
if (options.help || options.command.length === 0) {
  (options.help ? process.stdout : process.stderr).write(HELP);
  process.exit(options.help ? 0 : 64);
}
await main(options);

async function main({ command, quiet, faults, ...rest }) {
  const say = (text) => {
    if (!quiet) process.stderr.write(`daybook-run: ${hide(text, rest.key)}\n`);
  };
  for (const fault of faults) say(fault);
  const reports = reporterOf(rest, say);
  const startedAt = Date.now();
  const record = {
    job: rest.job,
    computer: rest.host,
    source: 'api',
    externalId: randomUUID(),
    startTime: new Date(startedAt).toISOString(),
    ...(rest.schedule === null ? {} : { schedule: rest.schedule }),
    detail: { command: basename(command[0]).slice(0, 200) },
  };
  const begun = reports?.begin({ ...record, status: 'Running' });
  const { code, fault, output } = await run(command);
  const endedAt = Date.now();
  const status =
    code === 0
      ? 'Success'
      : warningsOf(rest.warnings, command[0]).includes(code)
        ? 'Warning'
        : 'Failed';
  const text = hide(output, rest.key);
  const last =
    fault ??
    text
      .split(/\r\n|\r|\n/)
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .at(-1) ??
    `Ended with exit code ${code}.`;
  begun?.abort();
  await reports?.finish({
    ...record,
    status,
    endTime: new Date(endedAt).toISOString(),
    durationSec: Math.round((endedAt - startedAt) / 1000),
    exitCode: code,
    ...(status === 'Success' ? {} : { message: last.slice(0, 2_000) }),
    ...(text.trim() === '' ? {} : { log: text }),
  });
  // On a slow pipe, output may still be pending.
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
}

/** Runs the command, passes its output through, and captures the tail. Never throws. */
function run([name, ...args]) {
  return new Promise((resolve) => {
    const parts = [];
    let size = 0;
    let done = false;
    const { DAYBOOK_KEY: _key, ...env } = process.env;
    const child = spawn(name, args, { stdio: ['inherit', 'pipe', 'pipe'], env });
    // On a terminal, the command receives Ctrl C directly.
    const signals = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGINT', 'SIGQUIT'].filter(
      (signal) => process.platform !== 'win32' || signal === 'SIGINT' || signal === 'SIGTERM',
    );
    const heard = signals.map((signal) => [
      signal,
      () => {
        if (!(process.stdin.isTTY && (signal === 'SIGINT' || signal === 'SIGQUIT')))
          child.kill(signal);
      },
    ]);
    for (const [signal, pass] of heard) process.on(signal, pass);
    const through = (from, to) => {
      let open = true;
      to.on('error', () => {
        open = false;
        from.resume();
      });
      from.on('data', (chunk) => {
        parts.push(chunk);
        size += chunk.length;
        while (parts.length > 1 && size - parts[0].length >= TAIL) size -= parts.shift().length;
        if (open && !to.write(chunk)) {
          from.pause();
          to.once('drain', () => from.resume());
        }
      });
    };
    through(child.stdout, process.stdout);
    through(child.stderr, process.stderr);
    const end = (code, fault = null) => {
      if (done) return;
      done = true;
      for (const [signal, pass] of heard) {
        process.off(signal, pass);
        process.on(signal, () => undefined);
      }
      resolve({
        code,
        fault,
        output: Buffer.concat(parts)
          .subarray(-TAIL)
          .toString('utf8')
          .replace(/^\uFFFD+/, ''),
      });
    };
    child.on('error', (error) => {
      const code = error.code === 'ENOENT' ? 127 : 126;
      const fault = `${name} could not be started (${error.code ?? 'unknown'}).`;
      process.stderr.write(`daybook-run: ${fault}\n`);
      end(code, fault);
    });
    child.on('close', (code, signal) =>
      end(codeOf(code, signal), signal === null ? null : `Ended by ${signal}.`),
    );
    child.on('exit', (code, signal) =>
      setTimeout(() => {
        end(codeOf(code, signal), signal === null ? null : `Ended by ${signal}.`);
        child.stdout.destroy();
        child.stderr.destroy();
      }, LATE_MS).unref(),
    );
  });
}

/** The exit code as a shell reports it. */
function codeOf(code, signal) {
  return code ?? 128 + (constants.signals[signal] ?? 0);
}

/** A client for the portal's API; null where the URL or the key is missing. */
function reporterOf({ url, key, keep }, say) {
  if (url === null || key === null) return null;
  const address = `${url}/api/v1/ingest/executions`;
  const mine = createHash('sha256').update(`${url} ${key}`).digest('hex').slice(0, 16);

  /** Returns 'done', 'bad' (the server will never accept it) or 'later'. */
  async function send(records, signal, tries = TRIES) {
    for (let n = 1; ; n += 1) {
      let wait = PAUSE_MS * 2 ** n;
      try {
        const answer = await fetch(address, {
          method: 'POST',
          redirect: 'error',
          headers: { 'content-type': 'application/json', 'authorization': `Bearer ${key}` },
          body: JSON.stringify(records),
          signal: AbortSignal.any([
            AbortSignal.timeout(TRY_MS),
            ...(signal === undefined ? [] : [signal]),
          ]),
        });
        if (answer.ok) {
          const told = await answer.json().catch(() => null);
          const [refused] = told?.data?.rejected ?? [];
          if (refused !== undefined)
            say(`the report was not accepted: ${String(refused.error).slice(0, 200)}`);
          return 'done';
        }
        await answer.body?.cancel();
        if (answer.status === 401) {
          say('the key is not accepted. The report is kept.');
          return 'later';
        }
        if (answer.status === 400 || answer.status === 413 || answer.status === 422) {
          say(`the report was not accepted (status ${answer.status}).`);
          return 'bad';
        }
        const asked = Number(answer.headers.get('retry-after'));
        if (asked > 0) wait = Math.max(wait, asked * 1000);
      } catch (error) {
        if (signal?.aborted) return 'later';
        if (n >= tries)
          say(
            `the portal could not be reached (${error?.cause?.code ?? error?.name ?? 'unknown'}).`,
          );
      }
      if (n >= tries || wait > LONGEST_PAUSE_MS) return 'later';
      await new Promise((resolve) => {
        setTimeout(resolve, wait);
      });
    }
  }

  function waiting() {
    try {
      return readdirSync(keep)
        .filter((name) => name.startsWith(`${mine}-`) && name.endsWith('.json'))
        .sort()
        .map((name) => join(keep, name));
    } catch {
      return [];
    }
  }

  function put(record) {
    try {
      mkdirSync(keep, { recursive: true, mode: 0o700 });
      chmodSync(keep, 0o700);
      const file = join(keep, `${mine}-${Date.parse(record.startTime)}-${record.externalId}.json`);
      writeFileSync(file, JSON.stringify(record), { mode: 0o600 });
      say('the report is kept and goes out with the next.');
      for (const old of waiting().slice(0, -MAX_STORED)) rmSync(old, { force: true });
    } catch (error) {
      say(`the report could not be kept (${error?.code ?? 'unknown'}).`);
    }
  }

  async function sendKept() {
    for (const file of waiting()) {
      try {
        const record = JSON.parse(readFileSync(file, 'utf8'));
        if (
          Date.now() - Date.parse(record.startTime) < KEPT_MS &&
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
    begin(record) {
      const end = new AbortController();
      void send([record], end.signal, 2).catch(() => undefined);
      return end;
    },
    async finish(record) {
      try {
        if ((await send([record])) === 'later') put(record);
        else await sendKept();
      } catch (error) {
        say(`the report failed (${error?.name ?? 'unknown'}).`);
      }
    },
  };
}

/** Removes the key from everything that is printed or sent. */
function hide(text, key) {
  return key === null || key === '' ? text : text.replaceAll(key, '•••');
}

function warningsOf(given, command) {
  return (
    given ??
    WARNINGS[
      basename(command)
        .replace(/\.exe$/i, '')
        .toLowerCase()
    ] ??
    []
  );
}

/** Reports an invalid option and still runs the command: a backup matters more than its report. */
function readArguments(given) {
  const at = given.indexOf('--');
  const own = at < 0 ? given : given.slice(0, at);
  const command = at < 0 ? [] : given.slice(at + 1);
  const named = {};
  const faults = [];
  let help = false;
  let quiet = false;
  for (let n = 0; n < own.length; n += 1) {
    const [, name, joined] = /^--([a-z-]+)(?:=(.*))?$/s.exec(own[n]) ?? [];
    if (name === 'help') help = true;
    else if (name === 'quiet') quiet = true;
    else if (
      ['url', 'key', 'key-file', 'job', 'host', 'every', 'cron', 'tz', 'warning', 'keep'].includes(
        name,
      )
    )
      named[name] = joined ?? own[(n += 1)] ?? '';
    else faults.push('an option is not known. --help tells which there are.');
  }
  const url = urlOf(named.url ?? process.env.DAYBOOK_URL ?? '', faults);
  const key = keyOf(named, faults);
  if (url !== null && key === null) faults.push('no key was given: nothing is reported.');
  const host = (named.host ?? hostname()).slice(0, 200);
  return {
    command,
    help,
    quiet,
    faults,
    url,
    key,
    host,
    job: ((named.job ?? '').trim() || basename(command[0] ?? 'backup')).slice(0, 200),
    schedule: scheduleOf(named, faults),
    warnings: named.warning === undefined ? null : named.warning.split(',').map(Number),
    keep: named.keep ?? process.env.DAYBOOK_KEEP ?? keepFolder(),
  };
}

function urlOf(text, faults) {
  try {
    const url = new URL(text);
    if (/^https?:$/.test(url.protocol)) return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  } catch {
    /* reported below */
  }
  faults.push('no address of a portal was given: nothing is reported.');
  return null;
}

function keyOf(named, faults) {
  let key = named.key ?? process.env.DAYBOOK_KEY ?? '';
  if (named['key-file'] !== undefined) {
    try {
      key = readFileSync(named['key-file'], 'utf8');
    } catch (error) {
      faults.push(`the file of the key cannot be read (${error.code ?? 'unknown'}).`);
    }
  }
  return key.trim() === '' ? null : key.trim();
}

function scheduleOf({ every, cron, tz }, faults) {
  if (cron !== undefined)
    return { type: 'cron', cron, tz: tz ?? Intl.DateTimeFormat().resolvedOptions().timeZone };
  if (every === undefined) return null;
  if (Number.isInteger(Number(every)) && Number(every) > 0)
    return { type: 'every', everySec: Number(every) };
  faults.push('--every is not a number of seconds.');
  return null;
}

function keepFolder() {
  const state = process.env.XDG_STATE_HOME;
  if (state) return join(state, 'daybook-run');
  const home = homedir();
  return home === '' || home === '/'
    ? join(tmpdir(), `daybook-run-${userInfo().uid}`)
    : join(home, '.local', 'state', 'daybook-run');
}
