import { connectAsync, type MqttClient } from 'mqtt';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { startMosquitto, type Mosquitto } from '../support/mosquitto.ts';
import { oneChannel, runChannels, type ChannelRun } from './channel-run.ts';

let run: ChannelRun;
let broker: Mosquitto;
let peer: MqttClient;
let seen: {
  readonly topic: string;
  readonly body: Record<string, unknown>;
  readonly tag: string;
}[];

beforeEach(async () => {
  seen = [];
  broker = await startMosquitto();
  peer = await connectAsync(broker.url, { protocolVersion: 5, reconnectPeriod: 200 });
  peer.on('message', (topic, payload, packet) => {
    const body = JSON.parse(payload.toString()) as Record<string, unknown>;
    seen.push({ topic, body, tag: packet.properties?.correlationData?.toString() ?? '' });
  });
  await peer.subscribeAsync('out/#', { qos: 1 });
  run = await runChannels(
    oneChannel(
      'mqtt',
      `url = "${broker.url}"
topic = "in/+/chat"
sender_level = 2
reply_topic = "out/all"`,
      { ana: 'ana', bob: 'bob', ignored: 'eve' },
    ),
  );
  await run.running('mqtt.main');
});
afterEach(async () => {
  await peer.endAsync(true);
  await run.remove();
  await broker.remove();
});

const say = (text: string, id: string, properties: object = {}, from = 'ana', more = {}) =>
  peer.publishAsync(`in/${from}/chat`, JSON.stringify({ id, text, ...more }), {
    qos: 1,
    properties,
  });
const got = (part: string) =>
  eventually(
    `a publication with \`${part}\``,
    () => seen.find(({ body }) => String(body['text']).includes(part)) ?? null,
  );

describe('given a broker', () => {
  it('takes no message that the broker had kept for anybody who comes', async () => {
    const text = JSON.stringify({ id: 'kept', text: 'hello' });
    await run.stop();
    await peer.publishAsync('in/bob/chat', text, { qos: 1, retain: true });
    await run.start();
    await say('hello', 'm1');
    await got('Plain answer.');
    await eventually('the refusal', async () =>
      (await run.events('InboundRefused')).length === 1 ? true : null,
    );
    const [refused] = await run.events('InboundRefused');
    expect(refused?.data).toMatchObject({ source: 'mqtt.main', why: 'a retained message' });
  });

  it('answers on the response topic with the correlation data, else on its own topic', async () => {
    await say('hello', 'm1', { responseTopic: 'out/ana', correlationData: Buffer.from('tag-1') });
    const reply = await got('Plain answer.');
    expect(reply).toMatchObject({
      topic: 'out/ana',
      tag: 'tag-1',
      body: { kind: 'reply', conversation: 'ana', in_reply_to: 'm1' },
    });
    seen = [];
    await say('hello', 'm2');
    expect((await got('Plain answer.')).topic).toBe('out/all');
    const [accepted] = await run.events('MessageAccepted');
    expect(accepted?.meta.principal).toEqual({ kind: 'peer', id: 'mqtt.main/ana', person: 'ana' });
  });

  it('gets what was said while nobody was there, once', async () => {
    await run.stop();
    await say('hello', 'm1');
    await say('hello', 'm1');
    await run.start();
    await got('Plain answer.');
    expect(await run.events('MessageAccepted')).toHaveLength(1);
  });

  it('connects again after the broker was away', async () => {
    await broker.stop();
    await eventually('the loss to show', async () => {
      const { body } = await run.admin().get('/v1/channels');
      const [item] = (body as { readonly items: readonly { readonly state: string }[] }).items;
      return item?.state === 'reconnecting' ? true : null;
    });
    await broker.start();
    await run.running('mqtt.main');
    await eventually('the peer to be back', () => (peer.connected ? true : null));
    await say('hello', 'm1');
    await got('Plain answer.');
  });

  it('takes a sender from the topic alone, and nothing that is no message', async () => {
    await say('hello', 'm1', {}, 'zed');
    await say('hello', 'm2', {}, 'eve');
    await say('hello', 'm3', {}, 'zed', { sender: 'ana' });
    await peer.publishAsync('in/ana/chat', 'no json {', { qos: 1 });
    await say('hello', 'm4', { responseTopic: 'in/ana/chat' });
    await say('hello', 'm5', { responseTopic: '$SYS/x' });
    await say('hello', 'last');
    await got('Plain answer.');
    const accepted = await run.events('MessageAccepted');
    expect(accepted.map(({ meta }) => meta.principal?.id)).toEqual(['mqtt.main/ana']);
    expect((await run.events('InboundRefused')).length).toBeGreaterThan(0);
  });

  it('lets nobody approve unless config trusts its senders', async () => {
    await say('write the plum', 'm1');
    const { body } = await got('asks to use');
    const [approve = ''] = body['commands'] as string[];
    await say(approve, 'm2');
    await got('approvals cannot be answered on this channel');
    expect(await run.events('ApprovalGranted')).toEqual([]);
  });
});
