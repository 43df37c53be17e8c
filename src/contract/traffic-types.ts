import { Type } from 'typebox';
import { NewTrafficType, TrafficTypeReply } from '#domain/traffic-types.ts';
import { endpoint } from './endpoint.ts';
import { True } from './parts.ts';

export const listTrafficTypes = endpoint({
  method: 'GET',
  path: '/trafficTypes/ws/:project',
  summary: 'List traffic types',
  description: 'In order of creation.',
  access: { needs: 'project.read', scope: 'environment' },
  reply: Type.Array(TrafficTypeReply),
  problems: [],
});

export const createTrafficType = endpoint({
  method: 'POST',
  path: '/trafficTypes/ws/:project',
  summary: 'Create a traffic type',
  access: { needs: 'trafficType.write', scope: 'project' },
  body: NewTrafficType,
  reply: TrafficTypeReply,
  problems: ['traffic_type_name_taken'],
});

export const deleteTrafficType = endpoint({
  method: 'DELETE',
  path: '/trafficTypes/:trafficTypeId',
  summary: 'Delete a traffic type',
  description: 'By id. Only if no flag uses it. Its attributes are deleted with it.',
  access: { needs: 'trafficType.write', scope: 'project' },
  reply: True,
  problems: ['traffic_type_not_found', 'traffic_type_in_use'],
});
