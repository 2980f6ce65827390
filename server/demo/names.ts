import { type Rng, pickOne } from './random.ts';

export interface CompanyName {
  readonly name: string;
  readonly code: string;
  readonly town: string;
  readonly style: Style;
}
/** The platforms that a company mainly uses. */
export type Style = 'windows' | 'linux' | 'cloud' | 'mixed';

/** Invented companies of a mid-sized region, larger ones first. */
const KNOWN: readonly CompanyName[] = [
  { name: 'Brackwater Foods', code: 'BWF', town: 'Hull', style: 'windows' },
  { name: 'Sturridge & Hale Solicitors', code: 'SHS', town: 'Leeds', style: 'windows' },
  { name: 'Pennine Valley Hospital Trust', code: 'PVH', town: 'Huddersfield', style: 'windows' },
  { name: 'Calder Engineering', code: 'CAL', town: 'Wakefield', style: 'mixed' },
  { name: 'Foxglove Housing', code: 'FXG', town: 'Bradford', style: 'mixed' },
  { name: 'Marlowe Logistics', code: 'MRL', town: 'Doncaster', style: 'windows' },
  { name: 'Ashdown Primary Schools', code: 'ASH', town: 'York', style: 'cloud' },
  { name: 'Tidewell Insurance Brokers', code: 'TID', town: 'Leeds', style: 'windows' },
  { name: 'Orchard Lane Dental', code: 'OLD', town: 'Harrogate', style: 'windows' },
  { name: 'Quarry Street Studios', code: 'QSS', town: 'Sheffield', style: 'linux' },
  { name: 'Redmire Precision Castings', code: 'RPC', town: 'Rotherham', style: 'mixed' },
  { name: 'Kestrel Renewables', code: 'KES', town: 'Grimsby', style: 'linux' },
  { name: 'Hollin Motors', code: 'HOL', town: 'Barnsley', style: 'windows' },
  { name: 'Wharfedale Veterinary Group', code: 'WVG', town: 'Ilkley', style: 'cloud' },
  { name: 'Linden Grove Care Homes', code: 'LGC', town: 'Halifax', style: 'cloud' },
  { name: 'Northern Tile & Stone', code: 'NTS', town: 'Goole', style: 'mixed' },
  { name: 'Ferriby Marine Surveys', code: 'FMS', town: 'Hull', style: 'linux' },
  { name: 'Saltaire Bakery', code: 'SAB', town: 'Shipley', style: 'windows' },
  { name: 'Beckett Architects', code: 'BKA', town: 'Leeds', style: 'mixed' },
  { name: 'Humber Cold Store', code: 'HCS', town: 'Immingham', style: 'windows' },
  { name: 'Oakworth Accountancy', code: 'OAK', town: 'Keighley', style: 'cloud' },
  { name: 'Millstone Print', code: 'MSP', town: 'Otley', style: 'mixed' },
  { name: 'Ravensthorpe Textiles', code: 'RVT', town: 'Dewsbury', style: 'windows' },
  { name: 'Swale Farm Supplies', code: 'SFS', town: 'Thirsk', style: 'mixed' },
  { name: 'Dales Charity Kitchens', code: 'DCK', town: 'Skipton', style: 'cloud' },
  { name: 'Aire Street Opticians', code: 'ASO', town: 'Castleford', style: 'windows' },
];

export const HARBOUR: readonly CompanyName[] = [
  { name: 'Casco Seafood', code: 'CSF', town: 'Portland', style: 'windows' },
  { name: 'Gilman Family Dentistry', code: 'GFD', town: 'Concord', style: 'cloud' },
  { name: 'Presque Isle Timber', code: 'PIT', town: 'Bangor', style: 'mixed' },
  { name: 'Whitcomb Law Group', code: 'WLG', town: 'Boston', style: 'windows' },
  { name: 'Seacoast Community Radio', code: 'SCR', town: 'Dover', style: 'linux' },
  { name: 'Merrimack Tool', code: 'MTL', town: 'Nashua', style: 'mixed' },
  { name: 'Bluefin Charters', code: 'BFC', town: 'Rockport', style: 'cloud' },
  { name: 'Androscoggin Mills', code: 'AGM', town: 'Lewiston', style: 'windows' },
];

const FIRST = [
  'Alder',
  'Amber',
  'Anchor',
  'Arden',
  'Barley',
  'Beacon',
  'Birch',
  'Bramble',
  'Bridge',
  'Cedar',
  'Chalk',
  'Cinder',
  'Clover',
  'Copper',
  'Coral',
  'Crane',
  'Crown',
  'Dove',
  'Drift',
  'Eagle',
  'Elder',
  'Ember',
  'Falcon',
  'Fern',
  'Flint',
  'Garnet',
  'Granite',
  'Harrow',
  'Hawthorn',
  'Hazel',
  'Heron',
  'Ivory',
  'Juniper',
  'Lark',
  'Laurel',
  'Lime',
  'Maple',
  'Meadow',
  'Moss',
  'Oak',
  'Onyx',
  'Osprey',
  'Pebble',
  'Poplar',
  'Quill',
  'River',
  'Rowan',
  'Slate',
  'Sorrel',
  'Thorn',
] as const;
const SECOND = [
  'Dental',
  'Logistics',
  'Legal',
  'Bakery',
  'Clinic',
  'Motors',
  'Foods',
  'Media',
  'Energy',
  'Schools',
  'Print',
  'Packaging',
  'Surveyors',
  'Insurance',
  'Homes',
  'Engineering',
  'Pharmacy',
  'Travel',
  'Interiors',
  'Robotics',
] as const;
const TOWNS = [
  'Leeds',
  'York',
  'Hull',
  'Sheffield',
  'Derby',
  'Lincoln',
  'Preston',
  'Durham',
  'Chester',
  'Bolton',
  'Stafford',
  'Norwich',
  'Bristol',
  'Exeter',
  'Cardiff',
  'Reading',
] as const;
const STYLES = ['windows', 'windows', 'mixed', 'linux', 'cloud'] as const;

/**
 * Returns the first `count` companies: those with a scenario, then others. Each has a unique code.
 */
export function companyNames(count: number): CompanyName[] {
  const made = Array.from({ length: Math.max(0, count - KNOWN.length) }, (_, i): CompanyName => {
    const first = FIRST[i % FIRST.length] ?? FIRST[0];
    const second = SECOND[Math.floor(i / FIRST.length + i) % SECOND.length] ?? SECOND[0];
    return {
      name: `${first} ${second}`,
      code: `${first.slice(0, 2)}${second.slice(0, 1)}${Math.floor(i / FIRST.length).toString(36)}${(i % FIRST.length).toString(36)}`.toUpperCase(),
      town: TOWNS[(i * 7) % TOWNS.length] ?? 'Leeds',
      style: STYLES[(i * 3) % STYLES.length] ?? 'mixed',
    };
  });
  return [...KNOWN.slice(0, count), ...made];
}

const GIVEN = [
  'amelia',
  'ben',
  'carys',
  'daniel',
  'ewa',
  'farid',
  'grace',
  'hugo',
  'isla',
  'jon',
  'kirsty',
  'leon',
  'maya',
  'niall',
  'olive',
  'petra',
  'rashid',
  'sian',
  'tom',
  'una',
  'vik',
  'wendy',
] as const;
const FAMILY = [
  'archer',
  'booth',
  'clegg',
  'drew',
  'ellis',
  'firth',
  'gill',
  'hirst',
  'iqbal',
  'jagger',
  'kaye',
  'lund',
  'moss',
  'nolan',
  'ogden',
  'pell',
  'ridley',
  'shaw',
  'tate',
  'varley',
] as const;

/** Returns a user name, for a mailbox or a home folder in a message. */
export const personIn = (random: Rng): string =>
  `${pickOne(GIVEN, random)}.${pickOne(FAMILY, random)}`;
