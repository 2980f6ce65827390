import { useBranding, useMe } from '#src/app/session/session.ts';
import '../../styles/runs.css';
import { BoardScreen } from './board.tsx';

/** `/monitoring/dashboard`: current state, open issues and forecasts. */
export function Dashboard() {
  const me = useMe();
  const branding = useBranding();
  if (me === null || branding === null) return null;
  return <BoardScreen key={me.id} me={me} branding={branding} />;
}
