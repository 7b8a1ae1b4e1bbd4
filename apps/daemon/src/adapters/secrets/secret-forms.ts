/** Every spelling in which a known value may turn up: as it is, escaped for URLs and JSON, and in base64 at each of the three
 * offsets that a longer encoded text can put it. */
export const secretForms = (value: string): readonly string[] => {
  const forms = new Set<string>([value]);
  const percent = encodedForUrl(value);
  forms.add(percent);
  forms.add(percent.replaceAll(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()));
  forms.add(percent.replaceAll('%20', '+'));
  const json = JSON.stringify(value).slice(1, -1);
  forms.add(json);
  forms.add(json.replaceAll('/', '\\/'));
  for (const offset of [0, 1, 2]) {
    const encoded = base64At(value, offset);
    forms.add(encoded);
    forms.add(encoded.replaceAll('+', '-').replaceAll('/', '_'));
  }
  forms.add(Buffer.from(value, 'utf8').toString('hex'));
  return [...forms].filter((form) => form === value || form.length >= 6);
};

/** The characters of the encoding that depend on the value alone, whatever stands around it. */
const base64At = (value: string, offset: number): string => {
  const bytes = Buffer.from(value, 'utf8');
  const text = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .replaceAll('=', '');
  const head = offset === 0 ? 0 : offset + 1;
  const whole = (offset + bytes.length) % 3 === 0 ? text.length : text.length - 1;
  return text.slice(head, whole);
};

const encodedForUrl = (value: string): string => encodeURIComponent(value.toWellFormed());
