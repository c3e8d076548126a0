# SPDX-License-Identifier: GPL-3.0-or-later
@tool
extends EditorScenePostImport
## Reads contacts from Toehold when Godot 4 imports a scene: calls and values in its animations.
##
## Choose this file as Import Script of walk.glb in the Import dock. Beside it put walk.json, or walk.<action>.json for
## each action, as Export Contacts (JSON) or "toehold annotate --events" write them. The animations then call
## on_foot_strike and on_foot_off with the limb's name: let the script of the scene's root have both. They also move the
## root's metadata contact_l, foot_speed_l and so on (0 to 1, and m/s).

const METHODS := {"strike": "on_foot_strike", "off": "on_foot_off"}


func _post_import(scene: Node) -> Object:
	var documents := _documents_beside(get_source_file())
	for document: Dictionary in documents:
		for player: AnimationPlayer in scene.find_children("*", "AnimationPlayer", true, false):
			for name: StringName in player.get_animation_list():
				var is_only := documents.size() == 1 and player.get_animation_list().size() == 1
				if is_only or String(name) == document["clip"]:
					_put_on(player.get_animation(name), document, scene, player)
	return scene


func _documents_beside(model: String) -> Array[Dictionary]:
	var found: Array[Dictionary] = []
	var stem := model.get_file().get_basename()
	for file: String in DirAccess.get_files_at(model.get_base_dir()):
		if file.get_extension() != "json" or not (file.get_basename() + ".").begins_with(stem + "."):
			continue
		var text := FileAccess.get_file_as_string(model.get_base_dir().path_join(file))
		var document: Variant = JSON.parse_string(text)
		if document is Dictionary and document.has_all(["schema", "clip", "events", "curves"]):
			found.append(document)
	return found


func _put_on(animation: Animation, document: Dictionary, scene: Node, player: AnimationPlayer) -> void:
	var root := String(player.get_node(player.root_node).get_path_to(scene))
	var calls := animation.add_track(Animation.TYPE_METHOD)
	animation.track_set_path(calls, NodePath(root))
	for event: Dictionary in document["events"]:
		if METHODS.has(event["event"]):
			animation.track_insert_key(calls, event["time"], {"method": METHODS[event["event"]], "args": [event["limb"]]})
	for curve: Dictionary in document["curves"]:
		scene.set_meta(curve["name"], 0.0)
		var track := animation.add_track(Animation.TYPE_VALUE)
		animation.track_set_path(track, NodePath(root + ":metadata/" + String(curve["name"])))
		animation.value_track_set_update_mode(track, Animation.UPDATE_CONTINUOUS)
		var values: Array = curve["values"]
		for frame in values.size():
			animation.track_insert_key(track, frame / float(document["fps"]), values[frame])
