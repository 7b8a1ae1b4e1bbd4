import { visibleText } from '@lockstep/engine';

/** Words of somebody else, inert: no character in them hides, turns the direction or looks like markup. */
export const Foreign = ({
  children,
  className = '',
}: {
  readonly children: string;
  readonly className?: string;
}) => (
  <bdi dir="ltr" className={`foreign ${className}`}>
    {visibleText(children)}
  </bdi>
);
