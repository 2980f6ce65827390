import { useMe } from '#src/app/session/session.ts';
import { NotifyDevices } from './browsers.tsx';
import { NotifyForm } from './form.tsx';
import { OwnPage } from '../../shared/own-account-page.tsx';
import { useQuery } from '../../shared/queries/use-query.ts';
import { notificationMessages as t } from './messages.en.ts';

/** `/monitoring/notifications`: the user's notification categories, channels and quiet hours. */
export function NotificationsPage() {
  const me = useMe();
  const request = useQuery('getNotify', EMPTY, me !== null && me.impersonator === null);
  const { value } = request;
  return (
    <OwnPage title={t.notifications} queries={[request]}>
      {() =>
        value !== null && (
          <>
            <NotifyForm
              preferences={value}
              onSaved={(settings, nextAt) => request.set({ ...value, settings, nextAt })}
            />
            <NotifyDevices preferences={value} onChanged={request.again} />
          </>
        )
      }
    </OwnPage>
  );
}

const EMPTY = {};
