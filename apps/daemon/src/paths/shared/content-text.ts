import type { Artifacts, Content } from '@lockstep/engine';

/** The text of recorded content; null when it is sealed or its artifact is not there. */
export const contentText = (content: Content, artifacts: Artifacts): Promise<string | null> => {
  if ('inline' in content) return Promise.resolve(content.inline);
  return 'artifact' in content ? artifacts.get(content.artifact) : Promise.resolve(null);
};
