import type { EventOf } from '../events.ts';
import type { Rows, Touch } from '../fold.ts';
import type { EventsAbout, LoggedAbout } from '../tables.ts';

/** Folds events of users and companies. */
export function foldPeople(rows: Rows, logged: LoggedAbout<'company' | 'user'>): void {
  const { event, at } = logged;
  switch (event.type) {
    case 'company.created@1':
      rows.company?.set(event.data.n, {
        n: event.data.n,
        id: event.data.id,
        name: event.data.name,
        madeAt: at,
      });
      return;
    case 'company.updated@1': {
      const company = rows.company?.get(event.data.n);
      if (company) rows.company?.set(company.n, { ...company, ...event.data });
      return;
    }
    case 'company.deleted@1': {
      const company = rows.company?.get(event.data.n);
      if (company) rows.company?.set(company.n, { ...company, deletedAt: at });
      return;
    }
    case 'company.restored@1': {
      const company = rows.company?.get(event.data.n);
      if (company) {
        const { deletedAt: _deletedAt, ...restored } = company;
        rows.company?.set(company.n, restored);
      }
      return;
    }
    case 'user.created@1':
      rows.user?.set(event.data.id, { ...event.data, madeAt: at, deletedAt: null });
      return;
    case 'user.scoped@1': {
      const user = rows.user?.get(event.data.id);
      if (user)
        rows.user?.set(user.id, {
          ...user,
          roles: event.data.roles,
          companies: event.data.companies,
        });
      return;
    }
    case 'user.deleted@1': {
      const user = rows.user?.get(event.data.id);
      if (user) rows.user?.set(user.id, { ...user, deletedAt: at });
      return;
    }
    case 'user.removed@1': {
      const user = rows.user?.get(event.data.id);
      if (user)
        rows.user?.set(user.id, { ...user, deletedAt: user.deletedAt ?? at, removedAt: at });
      return;
    }
    case 'user.updated@1':
      return;
    default:
      event satisfies never;
  }
}

export function touchesPeople(event: EventOf<EventsAbout<'company' | 'user'>>): Touch[] {
  switch (event.type) {
    case 'company.created@1':
    case 'company.updated@1':
    case 'company.deleted@1':
    case 'company.restored@1':
      return [['company', event.data.n]];
    case 'user.created@1':
    case 'user.scoped@1':
    case 'user.deleted@1':
    case 'user.removed@1':
      return [['user', event.data.id]];
    case 'user.updated@1':
      return [];
    default:
      return event satisfies never;
  }
}
