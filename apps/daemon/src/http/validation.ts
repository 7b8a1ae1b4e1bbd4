import { StandardSchemaValidationPipe } from '@nestjs/common';
import { z } from 'zod';
import { ProblemError } from './problem.ts';

/** Checks bodies, queries and parameters against the schema that their decorator names. */
export const validationPipe = (): StandardSchemaValidationPipe =>
  new StandardSchemaValidationPipe({
    exceptionFactory: (issues) =>
      new ProblemError('invalid_body', 'the request does not fit its schema', {
        errors: issues.map((issue) => ({
          path: (issue.path ?? [])
            .map((part) => String(typeof part === 'object' ? part.key : part))
            .join('.'),
          message: issue.message,
        })),
      }),
  });

/** A query parameter may stand once or several times. */
export const manyOf = <T extends z.ZodType<unknown, string>>(item: T) =>
  z
    .union([z.string(), z.array(z.string())])
    .transform((value) => (Array.isArray(value) ? value : value.split(',')).filter((v) => v !== ''))
    .pipe(z.array(item));

export const limitOf = (usual: number, most: number) =>
  z.coerce.number().int().min(1).max(most).default(usual);
