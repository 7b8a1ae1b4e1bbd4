import { surfaceNames, type SettingKey, type SurfaceName } from '@lockstep/policy';

/** The surface that a setting belongs to: the first word of its key. */
export const surfaceOf = (key: SettingKey): SurfaceName =>
  surfaceNames.find((name) => key.startsWith(`${name}.`)) ?? 'tools';
