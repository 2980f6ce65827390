import { useBranding, useMe } from '#src/session.ts';
import '../daily-checks/daily-checks.css';
import { BoardScreen } from './board.tsx';
import './dashboard.css';

/** `/monitoring/dashboard`: how it goes, what needs somebody now, and what will. */
export function Dashboard() {
  const me = useMe();
  const branding = useBranding();
  if (me === null || branding === null) return null;
  return <BoardScreen key={me.id} me={me} branding={branding} />;
}
