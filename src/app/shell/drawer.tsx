import { Dialog } from '../../ui/dialog.tsx';
import { closeDrawer } from './drawer-state.ts';
import { SidebarContent } from './sidebar.tsx';
import { shellMessages as t } from './shell.messages.en.ts';

/** The sidebar over the page. Navigation closes it. */
export function Drawer() {
  return (
    <Dialog title={t.menu} place="left" onClose={closeDrawer}>
      <SidebarContent mini={false} onGo={closeDrawer} />
    </Dialog>
  );
}
