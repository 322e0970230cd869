import { calibrate } from '@ship/core';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { CalibrationCard, noteOf } from './calibration.tsx';

const page = (counts: Parameters<typeof calibrate>[0]) =>
  renderToStaticMarkup(<CalibrationCard calibration={calibrate(counts)} />);

describe('calibration card', () => {
  it('[CB3] predicted and merged are cells of a labelled table, and screen readers skip the bars', () => {
    const html = page([
      { score: 90, outcome: 'merged', total: 9 },
      { score: 90, outcome: 'closed', total: 3 },
    ]);
    expect(html).toContain('<caption');
    expect(html.match(/<th scope="col"/g)).toHaveLength(7);
    expect(html.match(/<th scope="row"/g)).toHaveLength(4);
    expect(html).toContain('90%');
    expect(html).toContain('75%');
    expect(html).not.toContain('(few)');
    expect(html.match(/<svg aria-hidden/g)).toHaveLength(4);
  });

  it('[CB3] small samples are marked, and empty ones are a dash', () => {
    const html = page([{ score: 90, outcome: 'merged', total: 2 }]);
    expect(html).toContain('100% (few)');
    expect(html).toContain('Too few to judge');
    expect(html).toContain('–');
    expect(noteOf(0, false)).toContain('No pull request');
    expect(noteOf(1, false)).toContain('1 decided pull request.');
  });
});
