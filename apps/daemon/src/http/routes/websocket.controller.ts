import { Controller, Get } from '@nestjs/common';
import { ProblemError } from '../problem.ts';
import { Route } from '../route.decorator.ts';

/** Where clients of WebSocket come in. What they send and get stands in the guide `calling-an-agent`. */
@Controller('v1/ws')
export class WebSocketController {
  @Get()
  @Route({
    access: 'signed-in',
    summary: 'Turns over one WebSocket (subprotocol `lockstep.v1`); each frame needs its own role.',
    answers: { 101: 'none' },
  })
  plain(): never {
    throw new ProblemError('upgrade_required', 'ask for an upgrade to WebSocket here', {
      headers: { upgrade: 'websocket', connection: 'upgrade' },
    });
  }
}
