import { useState } from 'react';
import { useProject } from '../../server/project.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { DeleteProjectDialog } from './DeleteProjectDialog.tsx';

export function DeleteProjectCard() {
  const project = useProject();
  const [isAsking, setAsking] = useState(false);
  return (
    <Card title="Delete" lead={`Deletes ${project.name} with everything in it.`}>
      <div>
        <Button look="danger" onClick={() => setAsking(true)}>
          Delete project
        </Button>
      </div>
      {isAsking && <DeleteProjectDialog onClose={() => setAsking(false)} />}
    </Card>
  );
}
