import { Foreign } from '../../ui/Foreign.tsx';
import type { PairRow } from './replay.logic.ts';
import styles from './replay.module.css';

/** What differs, field by field. */
export const Fields = ({ row: { fields } }: { readonly row: PairRow }) =>
  fields.length === 0 ? null : (
    <div className={styles['fields']}>
      <table className="list" aria-label="fields that differ">
        <thead>
          <tr>
            <th scope="col">field</th>
            <th scope="col">recorded</th>
            <th scope="col">now</th>
          </tr>
        </thead>
        <tbody>
          {fields.map(({ path, recorded, replayed }) => (
            <tr key={path}>
              <td className="mono">{path === '' ? 'the whole' : path}</td>
              <td className={`mono ${styles['before']}`}>
                <Foreign>{recorded ?? 'not there'}</Foreign>
              </td>
              <td className={`mono ${styles['after']}`}>
                <Foreign>{replayed ?? 'not there'}</Foreign>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
