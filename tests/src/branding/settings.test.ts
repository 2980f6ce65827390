import { expect, test } from 'vitest';
import { settingsCalls } from '#contract/branding/settings-calls.ts';
import type { ProviderSettings } from '#contract/branding/settings.ts';
import {
  getPartDraft,
  getErrorTexts,
  getPartInput,
  getStoredPart,
  PART_NAMES,
  PARTS,
  withoutPart,
} from '#src/features/branding/settings/parts.ts';
import { findFormErrors } from '#src/ui/form-errors.ts';

const FULL: ProviderSettings = {
  mail: {
    host: 'smtp.example.com',
    port: 465,
    security: 'tls',
    username: null,
    from: 'a@example.com',
    fromName: 'A',
  },
  sms: { url: 'https://sms.example', account: 'AC1', from: '+15550100' },
  directory: {
    url: 'ldaps://dc.example',
    baseDn: 'DC=example',
    domain: 'EXAMPLE',
    serviceDn: 'CN=svc',
    ca: null,
  },
  oidc: {
    issuer: 'https://id.example',
    clientId: 'c',
    scope: 'openid email',
    label: 'Sign in',
    trustsFactor: true,
  },
  microsoft: { clientId: '14d82eec-204b-4c2f-b7e8-296a70dab67e' },
  sso: {
    vac: { url: 'https://vac.example' },
    vcd: { url: 'https://vcd.example', organization: 'org' },
    zerto: { url: 'https://z.example', zssp: 'https://zssp.example', username: 'z' },
  },
};
const takes = settingsCalls.setProviderSettings.input;

test("BRAND-8: every part fits its form and back into the call's input, with fields that have no control", () => {
  for (const name of PART_NAMES) {
    const input = getPartInput(FULL, name, getPartDraft(FULL, name));
    expect(findFormErrors(takes, { id: 'p', ...input }, {})).toEqual({});
    expect(getStoredPart(input as ProviderSettings, name)).toEqual(getStoredPart(FULL, name));
  }
});

test("BRAND-8: an empty form is refused field by field, with the fields' messages", () => {
  for (const name of PART_NAMES) {
    const empty = Object.fromEntries(PARTS[name].fields.map((field) => [field.name, '']));
    const errors = findFormErrors(
      takes,
      { id: 'p', ...getPartInput({}, name, empty) },
      getErrorTexts(name),
    );
    const known = new Set(PARTS[name].fields.map(({ wrong }) => wrong));
    expect(Object.keys(errors).length).toBeGreaterThan(0);
    expect(Object.values(errors).filter((error) => !known.has(error))).toEqual([]);
  }
});

test('BRAND-8: a switch that was never set is off, and is sent as shown', () => {
  const { oidc } = FULL;
  const { trustsFactor: _, ...before } = oidc ?? {};
  const draft = getPartDraft({ oidc: before } as ProviderSettings, 'oidc');
  expect(draft['trustsFactor']).toBe('false');
  expect(getPartInput(FULL, 'oidc', draft)).toMatchObject({ oidc: { trustsFactor: false } });
  expect(getPartInput(FULL, 'oidc', { ...draft, trustsFactor: 'true' })).toMatchObject({
    oidc: { trustsFactor: true },
  });
});

test('BRAND-8: removing one system leaves the others unchanged', () => {
  expect(withoutPart(FULL, 'mail')).toEqual({ mail: null });
  expect(withoutPart(FULL, 'vcd')).toEqual({ sso: { ...FULL.sso, vcd: null } });
  expect(getPartInput({}, 'vac', { url: ' https://vac.example ' })).toEqual({
    sso: { vac: { url: 'https://vac.example' }, vcd: null, zerto: null },
  });
});
