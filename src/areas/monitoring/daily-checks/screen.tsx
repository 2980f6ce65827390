import { useBranding, useMe } from '#src/session.ts';
import { Desk } from './desk.tsx';
import './daily-checks.css';

/**
 * `/monitoring/daily-checks`: the problems of the last days, to be dealt with one by one or
 * together.
 */
export function DailyChecks() {
  const me = useMe();
  const branding = useBranding();
  if (me === null || branding === null) return null;
  return <Desk key={me.id} me={me} branding={branding} />;
}
