import type { Attack } from './attack.ts';
import {
  forbiddenTools,
  hiddenTools,
  longTexts,
  manyRows,
  permittedTools,
  shellLines,
  standingGrant,
  unanswered,
  unknownOthers,
} from './calls.attacks.ts';
import {
  endlessAnswer,
  keptRows,
  longContext,
  longMessages,
  longSession,
  longSystem,
  manyCalls,
  manySteps,
  manyTokens,
  sameCall,
  slowModel,
  slowTool,
} from './limits.attacks.ts';
import { addresses, places } from './places.attacks.ts';

/** Everything that is tried on each path, in this order. */
export const attacks: readonly Attack[] = [
  forbiddenTools,
  ...permittedTools,
  hiddenTools,
  unknownOthers,
  ...places,
  addresses,
  shellLines,
  manyRows,
  longTexts,
  standingGrant,
  unanswered,
  sameCall,
  manyCalls,
  manySteps,
  endlessAnswer,
  longSession,
  longMessages,
  longContext,
  keptRows,
  longSystem,
  manyTokens,
  slowTool,
  slowModel,
];
