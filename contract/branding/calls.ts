import * as v from 'valibot';
import { call } from '../call.ts';
import { BrandingSchema } from './branding.ts';

export const brandCalls = {
  getBranding: call({
    method: 'GET',
    path: 'service-providers/branding',
    summary: 'Returns the branding of the requested host.',
    input: v.strictObject({}),
    output: BrandingSchema,
    gate: 'public',
    failures: [],
  }),
} as const;
