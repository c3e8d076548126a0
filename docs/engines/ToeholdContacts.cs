// SPDX-License-Identifier: GPL-3.0-or-later
// Reads contacts from Toehold when Unity imports a model: events and curves of its clips.
//
// Put this file into a folder called Editor. Beside walk.fbx put walk.json, or walk.<action>.json for each action, as
// Export Contacts (JSON) or "toehold annotate --events" write them. The clips then call OnFootStrike and OnFootOff with
// the limb's name, and have a curve for each contact (0 to 1) and speed (m/s): an Animator's float parameters of the
// same names follow them. Events of other functions and other curves of a clip stay.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using UnityEditor;
using UnityEngine;

public class ToeholdContacts : AssetPostprocessor
{
    // The fields are those of docs/schema/events.schema.json; JsonUtility leaves out what is not here.
    [Serializable]
    private class Document
    {
        public int schema;
        public string clip;
        public float fps;
        public float length;
        public Curve[] curves;
        public Step[] events;
    }

    [Serializable]
    private class Curve
    {
        public string name;
        public string limb;
        public float[] values;
    }

    [Serializable]
    private class Step
    {
        public string @event;
        public string limb;
        public float time;
    }

    private static readonly Dictionary<string, string> Functions = new Dictionary<string, string>
    {
        { "strike", "OnFootStrike" },
        { "off", "OnFootOff" },
    };

    private void OnPreprocessAnimation()
    {
        var importer = (ModelImporter)assetImporter;
        List<Document> documents = DocumentsBeside(assetPath);
        if (documents.Count == 0)
        {
            return;
        }
        ModelImporterClipAnimation[] clips = importer.clipAnimations;
        if (clips.Length == 0)
        {
            clips = importer.defaultClipAnimations;
        }
        foreach (ModelImporterClipAnimation clip in clips)
        {
            Document document = DocumentFor(clip, documents, clips.Length);
            if (document == null)
            {
                continue;
            }
            float length = (clip.lastFrame - clip.firstFrame) / document.fps;
            if (Mathf.Abs(length - document.length) > 1.5f / document.fps)
            {
                Debug.LogWarning("Toehold: clip " + clip.name + " is not as long as its events; export both again");
            }
            else
            {
                PutOn(clip, document);
            }
        }
        importer.clipAnimations = clips;
    }

    private List<Document> DocumentsBeside(string model)
    {
        string folder = Path.GetDirectoryName(model);
        string name = Path.GetFileNameWithoutExtension(model);
        var found = new List<Document>();
        foreach (string file in Directory.GetFiles(folder, name + "*.json").OrderBy(file => file))
        {
            string rest = Path.GetFileNameWithoutExtension(file).Substring(name.Length);
            if (rest.Length > 0 && rest[0] != '.')
            {
                continue;
            }
            context.DependsOnSourceAsset(file.Replace('\\', '/'));
            Document document = JsonUtility.FromJson<Document>(File.ReadAllText(file));
            if (document != null && document.schema > 0 && document.events != null && document.length > 0f)
            {
                found.Add(document);
            }
        }
        return found;
    }

    // A take is called after the action, often with the armature's name and a bar before it.
    private static Document DocumentFor(ModelImporterClipAnimation clip, List<Document> documents, int clips)
    {
        foreach (Document document in documents)
        {
            if (clip.takeName == document.clip || clip.name == document.clip
                || clip.takeName.EndsWith("|" + document.clip, StringComparison.Ordinal))
            {
                return document;
            }
        }
        return clips == 1 && documents.Count == 1 ? documents[0] : null;
    }

    // An importer's clip has its events and curves over 0 to 1, from its first frame to its last.
    private static void PutOn(ModelImporterClipAnimation clip, Document document)
    {
        IEnumerable<AnimationEvent> others = clip.events.Where(one => !Functions.ContainsValue(one.functionName));
        IEnumerable<AnimationEvent> steps = document.events
            .Where(step => Functions.ContainsKey(step.@event))
            .Select(step => new AnimationEvent
            {
                functionName = Functions[step.@event],
                stringParameter = step.limb,
                time = Mathf.Clamp01(step.time / document.length),
            });
        clip.events = others.Concat(steps).OrderBy(one => one.time).ToArray();
        var names = new HashSet<string>(document.curves.Select(curve => curve.name));
        clip.curves = clip.curves
            .Where(curve => !names.Contains(curve.name))
            .Concat(document.curves.Select(AsImported))
            .ToArray();
    }

    private static ClipAnimationInfoCurve AsImported(Curve curve)
    {
        int last = Mathf.Max(curve.values.Length - 1, 1);
        Keyframe[] keys = curve.values.Select((value, frame) => new Keyframe((float)frame / last, value)).ToArray();
        return new ClipAnimationInfoCurve { name = curve.name, curve = new AnimationCurve(keys) };
    }
}
