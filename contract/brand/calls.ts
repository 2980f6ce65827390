import * as v from 'valibot';
import { call } from '../call.ts';
import { BrandingSchema } from './branding.ts';

export const brandCalls = {
  getBranding: call({
    method: 'GET',
    path: 'service-providers/branding',
    says: 'The branding of the host asked.',
    takes: v.strictObject({}),
    gives: BrandingSchema,
    gate: 'public',
    failures: [],
  }),
} as const;
