import { OfflineOnly } from '#src/ui/offline-only.tsx';
import { dailyChecksMessages as t } from './messages.en.ts';

/** The place of the opened result while its part of the page loads. Offline it says what is missing. */
export const RunLoading = ({ phone }: { readonly phone: boolean }) => (
  <aside
    className={phone ? 'fixed inset-x-0 bottom-0 bg-sheet' : 'rp border-l border-rule bg-sheet'}
    aria-label={t.jobResult}
  >
    <OfflineOnly>
      <p className="m-0 border-t border-rule p-5" role="alert">
        {t.resultNeedsNetwork}
      </p>
    </OfflineOnly>
  </aside>
);
