import { useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState } from 'react';
import type { Branding } from '#contract/branding/branding.ts';
import { now as clock, useNow } from '#src/app/clock.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { announce } from '#src/app/shell/announce.tsx';
import { BrandMark } from '#src/app/shell/branding/brand-mark.tsx';
import { getTitle } from '#src/app/shell/branding/apply-branding.ts';
import { writeStored, readStored } from '#src/app/session/browser-storage.ts';
import { useBranding } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { formatCount, formatDay, formatTime } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { STATES } from '#src/ui/states.ts';
import { dayAt, getTimes } from '#src/features/shared/date-range/dates.ts';
import { WallAttention } from './attention.tsx';
import { getDigits, getWallboardFigures, toCheck, wallFilter } from './figures.ts';
import { mustReload, getFreshness } from './freshness.ts';
import { useAwake } from './use-wake-lock.ts';
import { useFull } from './use-full-screen.ts';
import './wallboard.css';
import { wallMessages as t } from './messages.en.ts';

/** `/monitoring/wall`: the overall state, readable from across the room and without interaction. */
export function WallboardScreen() {
  const branding = useBranding();
  return branding && <Board branding={branding} />;
}

const BACK = '/monitoring/daily-checks';
const RELOADED = 'wall.reloaded';
const STILL = {};
const NONE: readonly number[] = [];

function Board({ branding }: { readonly branding: Branding }) {
  const { history } = useRouter();
  const rule = { zone: branding.timeZone, hour: branding.dayBeginsHour };
  const now = useNow(15_000);
  const today = dayAt(now, rule);
  const status = useWatch('status', STILL);
  const view = useWatch('runs', {
    filter: wallFilter(today, rule),
    window: { first: 0, count: 0 },
    isInUse: false,
    folded: NONE,
    round: 0,
  });
  const overview = useWatch('overview', {
    ...getTimes({ kind: 'today' }, today, rule),
    companies: NONE,
    instructionTypes: [],
  });
  const awake = useAwake();
  const [dark, setDark] = useDark();
  const [full, toggleFull, leaveFull] = useFull();
  const currentStatus = getFreshness(status, now, rule.zone);
  const left = view && toCheck(view);
  const figures = view ? getWallboardFigures(view) : [];
  useEffect(() => announce(currentStatus.lead), [currentStatus.lead]);
  const reload = mustReload(status, Number(readStored(RELOADED)) || null, now);
  useEffect(() => {
    if (!reload) return;
    writeStored(RELOADED, String(clock()));
    location.reload();
  }, [reload]);
  const leave = (): void => {
    leaveFull();
    history.push(BACK);
  };
  const onKey = useEffectEvent((event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const does = { escape: leave, f: toggleFull, d: () => setDark(!dark) }[event.key.toLowerCase()];
    if (!does) return;
    event.preventDefault();
    does();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => onKey(event);
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);

  return (
    <main id="content" className="wall" data-standing={currentStatus.kind}>
      <title>{t.pageTitle({ brand: getTitle(branding) })}</title>
      <header className="wall-top">
        <span className="wall-brand">
          <BrandMark branding={branding} height={32} />
          <h1>{branding.name}</h1>
        </span>
        <p className="wall-data" data-standing={currentStatus.kind}>
          <Icon
            name={
              currentStatus.kind !== 'stale'
                ? 'sync'
                : status?.kind === 'offline'
                  ? 'offline'
                  : 'warning'
            }
            size={28}
          />
          <span>
            <b>{currentStatus.lead}</b>
            {currentStatus.rest !== '' && <>, {currentStatus.rest}</>}
          </span>
        </p>
        <Clock zone={rule.zone} />
      </header>
      <dl
        className="wall-figures"
        aria-busy={view === undefined}
        data-digits={getDigits([...figures.map(({ count }) => count), left?.left ?? 0])}
      >
        {figures.map(({ state, label, count }) => (
          <div key={state} data-zero={count === 0}>
            <dt className={STATES[state].text}>
              <Icon name={STATES[state].icon} size={28} />
              {label}
            </dt>
            <dd className={count === 0 ? '' : STATES[state].text}>{formatCount(count)}</dd>
          </div>
        ))}
        {left && (
          <div className="wall-left" data-zero={left.left === 0}>
            <dt>
              <Icon name={left.left === 0 ? 'tick' : 'daily-checks'} size={28} />
              {t.toCheck}
            </dt>
            <dd>
              {formatCount(left.left)}
              <small>{t.ofTotal({ total: formatCount(left.of) })}</small>
            </dd>
          </div>
        )}
      </dl>
      <WallAttention overview={overview} now={now} />
      <footer className="wall-foot">
        <span>{awake ? t.legendStaysOn : t.legend}</span>
        <span className="wall-ways">
          <Button size="sm" variant="quiet" keycap="D" onClick={() => setDark(!dark)}>
            {dark ? t.light : t.dark}
          </Button>
          {document.fullscreenEnabled && (
            <Button size="sm" variant="quiet" keycap="F" onClick={toggleFull}>
              {full ? t.exitFullScreen : t.fullScreen}
            </Button>
          )}
          <Button size="sm" variant="quiet" keycap="Esc" onClick={leave}>
            {t.exit}
          </Button>
        </span>
      </footer>
    </main>
  );
}

/** Its own component, so that a tick renders nothing else. */
function Clock({ zone }: { readonly zone: string }) {
  const now = useNow(1_000);
  return (
    <p className="wall-clock">
      <time>
        {formatTime(now, zone)}
        <small aria-hidden>{String(Math.floor(now / 1_000) % 60).padStart(2, '0')}</small>
      </time>
      <span>{formatDay(now, zone)}</span>
    </p>
  );
}

/**
 * The wall board's theme, stored on this device; by default the user's. It is reset when the page
 * is left.
 */
function useDark(): readonly [dark: boolean, set: (dark: boolean) => void] {
  const [before] = useState(() => document.documentElement.dataset['theme'] ?? 'light');
  const [dark, setDark] = useState(() => (readStored(LIGHT) ?? before) === 'dark');
  useEffect(() => {
    document.documentElement.dataset['theme'] = dark ? 'dark' : 'light';
    return () => {
      document.documentElement.dataset['theme'] = before;
    };
  }, [dark, before]);
  return [
    dark,
    (next) => {
      writeStored(LIGHT, next ? 'dark' : 'light');
      setDark(next);
    },
  ];
}
const LIGHT = 'wall.light';
