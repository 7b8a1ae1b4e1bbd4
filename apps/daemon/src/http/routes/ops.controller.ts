import { Controller, Get, Header, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { HTTP_PARTS, type HttpParts } from '../http-parts.ts';
import { Route } from '../route.decorator.ts';
import { healthSchema } from '../schemas/parity.schema.ts';

/** For supervisors and monitoring. */
@Controller()
export class OpsController {
  readonly #parts: HttpParts;

  constructor(@Inject(HTTP_PARTS) parts: HttpParts) {
    this.#parts = parts;
  }

  @Get('healthz')
  @Route({ access: 'public', summary: 'The process answers.', answers: { 200: healthSchema } })
  health(): unknown {
    const { disk, foreign } = this.#parts;
    const use = disk?.current();
    return {
      status: 'ok',
      ...(use === undefined ? {} : { disk: use.level, diskPercent: use.percent }),
      log: foreign === undefined || foreign === null ? 'own' : 'read-only',
    };
  }

  @Get('readyz')
  @Route({
    access: 'public',
    summary: 'The daemon takes work.',
    answers: { 200: healthSchema, 503: healthSchema },
  })
  ready(@Res({ passthrough: true }) reply: FastifyReply): unknown {
    const { disk } = this.#parts;
    const isFull = disk !== undefined && disk.current().level !== 'ok';
    const missing = [...this.#parts.notReady(), ...(isFull ? ['disk'] : [])];
    if (missing.length === 0) return { status: 'ready' };
    void reply.status(503);
    return { status: 'not ready', missing };
  }

  @Get('metrics')
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  @Route({ access: ['viewer'], summary: 'Figures for Prometheus.', answers: { 200: 'text' } })
  async metrics(): Promise<string> {
    const { ledger, live, metrics, readSide } = this.#parts;
    const parity = await readSide.parity(null);
    const gaps = parity.rows.flatMap((row) => Object.values(row.cells)).filter(isGap).length;
    const behind = (await readSide.status()).map((status) => status.lag);
    return metrics.render({
      lockstep_parity_gaps: gaps,
      lockstep_parity_enforced: parity.figure.enforced,
      lockstep_parity_cells: parity.figure.of,
      lockstep_projection_lag_events: Math.max(0, ...behind),
      lockstep_turns_open: ledger.openTurns().length,
      lockstep_requests_pending: ledger.pending().length,
      lockstep_streams_open: live.size,
      lockstep_config_version: this.#parts.config.current().version,
      process_resident_memory_bytes: process.memoryUsage.rss(),
    });
  }
}

const isGap = (cell: { readonly state: string }): boolean => cell.state === 'gap';
