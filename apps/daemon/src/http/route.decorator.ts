import { SetMetadata, type CustomDecorator } from '@nestjs/common';
import type { Role } from '@lockstep/policy';
import type { z } from 'zod';

/** Who may use a route: anybody, any valid token or session, the local token alone, or holders of one of these roles. */
export type RouteAccess = 'public' | 'signed-in' | 'local' | readonly [Role, ...Role[]];

/** What a route says of itself: who may use it and what it answers. Guard, documentation and specs read the same words. */
export interface RouteSpec {
  readonly access: RouteAccess;
  readonly summary: string;
  /** By status: a schema of the JSON, or the kind of another answer. */
  readonly answers: Readonly<Record<number, z.ZodType | 'none' | 'text' | 'events'>>;
}

export const routeKey = 'lockstep:route';

/** Declares a route. One without it is refused to everybody. */
export const Route = (spec: RouteSpec): CustomDecorator => SetMetadata(routeKey, spec);
