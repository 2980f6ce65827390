import type { ReactNode } from 'react';
import { Icon } from '../ui/icon.tsx';

export function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="border-t border-rule px-5 py-3">
      <h3 className="m-0 pb-1">{title}</h3>
      <ul className="m-0 list-none p-0">{children}</ul>
    </section>
  );
}

export function Trouble({ children }: { readonly children: ReactNode }) {
  return (
    <p className="m-0 flex items-start gap-2.5 border-t border-hair bg-warning-wash px-5 py-2">
      <Icon name="warning" className="mt-px text-warning" />
      <span className="min-w-0 break-words">{children}</span>
    </p>
  );
}
