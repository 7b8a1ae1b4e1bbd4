/** A place in a config, from the outside in. */
export type ConfigPlace = readonly string[];

export type ConfigTable = Readonly<Record<string, unknown>>;

/** Whether a value is a table of a config. */
export const isConfigTable = (value: unknown): value is ConfigTable =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Places that lie so deep, in order of their names. */
export const placesAt = (
  config: ConfigTable,
  depth: number,
  before: ConfigPlace = [],
): readonly ConfigPlace[] =>
  Object.keys(config)
    .sort()
    .flatMap((key) => {
      const place = [...before, key];
      if (depth <= 1) return [place];
      const value = config[key];
      return isConfigTable(value) ? placesAt(value, depth - 1, place) : [];
    });

/** The config without what lies at these places. */
export const withoutPlaces = (config: ConfigTable, places: readonly ConfigPlace[]): ConfigTable =>
  places.reduce<ConfigTable>((left, place) => withPlace(left, place, undefined), config);

/** The config with another value at a place; undefined = with none. Tables that a place goes through are made. */
export const withPlace = (
  config: ConfigTable,
  [key, ...deeper]: ConfigPlace,
  value: unknown,
): ConfigTable => {
  if (key === undefined) return config;
  const { [key]: here, ...others } = config;
  if (deeper.length === 0) return value === undefined ? others : { ...others, [key]: value };
  if (!isConfigTable(here) && value === undefined) return config;
  return { ...others, [key]: withPlace(isConfigTable(here) ? here : {}, deeper, value) };
};

/** Lines of a config as people write it: a key each, with what opens and closes tables. */
export const configLines = (config: unknown): number =>
  JSON.stringify(config, null, 2).split('\n').length;
