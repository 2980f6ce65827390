import { Dialog } from '../../ui/dialog.tsx';
import { closeDrawer } from './drawer-state.ts';
import { SidebarContent } from './sidebar.tsx';

/** The sidebar over the page. Navigation closes it. */
export function Drawer() {
  return (
    <Dialog title="Menu" place="left" onClose={closeDrawer}>
      <SidebarContent mini={false} onGo={closeDrawer} />
    </Dialog>
  );
}
