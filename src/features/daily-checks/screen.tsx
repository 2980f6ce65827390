import { useBranding, useMe } from '#src/app/session/session.ts';
import { DailyChecksPage } from './page.tsx';
import '../../styles/runs.css';

/** `/monitoring/daily-checks`: review of the problems of the last days, one by one or in bulk. */
export function DailyChecks() {
  const me = useMe();
  const branding = useBranding();
  if (me === null || branding === null) return null;
  return <DailyChecksPage key={me.id} me={me} branding={branding} />;
}
